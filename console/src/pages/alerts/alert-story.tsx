import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { Trail } from '../../components/action/trail.tsx';
import { ExplainAlert } from './explain-alert.tsx';

/** What happened to an alert: its trail and notes on one line of time, and who was told. */
export function AlertStory({ alert, changes }: { alert: Alert; changes: number }): JSX.Element {
  const [view, setView] = useState<'story' | 'explain'>('story');
  return (
    <section class="story">
      <div class="tabs" role="tablist" aria-label="Story of the alert">
        <button type="button" role="tab" aria-selected={view === 'story'} onClick={() => setView('story')}>
          History and notes
        </button>
        <button type="button" role="tab" aria-selected={view === 'explain'} onClick={() => setView('explain')}>
          Who was told
        </button>
      </div>
      {view === 'story' ? (
        <Trail noun="alerts" id={alert.alertId} changes={changes} />
      ) : (
        <ExplainAlert alertId={alert.alertId} changes={changes} />
      )}
    </section>
  );
}
