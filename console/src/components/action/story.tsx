import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Noun } from './actions.ts';
import { Explain } from './explain.tsx';
import { Trail } from './trail.tsx';

type Props = { noun: Noun; id: string; changes: number; everyMs?: number };

/** The history of an alert or an incident: its trail and notes in one timeline, and who was notified. */
export function Story({ noun, id, changes, everyMs }: Props): JSX.Element {
  const [view, setView] = useState<'story' | 'explain'>('story');
  return (
    <section class="story">
      <div class="tabs" role="tablist" aria-label="Its story">
        <button type="button" role="tab" aria-selected={view === 'story'} onClick={() => setView('story')}>
          History and notes
        </button>
        <button type="button" role="tab" aria-selected={view === 'explain'} onClick={() => setView('explain')}>
          Who was notified
        </button>
      </div>
      {view === 'story' ? (
        <Trail noun={noun} id={id} changes={changes} {...(everyMs === undefined ? {} : { everyMs })} />
      ) : (
        <Explain noun={noun} id={id} changes={changes} />
      )}
    </section>
  );
}
