import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { HistoryEntry, Note } from '../../../../shared/schema/alert/life.ts';
import { at } from '../../client/api.ts';
import { type Resource, useResource } from '../../client/resource.ts';
import { Empty, Failed, Show } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
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
        <Story alertId={alert.alertId} changes={changes} />
      ) : (
        <ExplainAlert alertId={alert.alertId} changes={changes} />
      )}
    </section>
  );
}

function Story({ alertId, changes }: { alertId: string; changes: number }): JSX.Element {
  const options = { on: ['alert'] };
  const history = useResource<{ entries: HistoryEntry[] }>(`${at('alerts', alertId, 'history')}?pageSize=200`, options);
  const notes = useResource<{ notes: Note[] }>(`${at('alerts', alertId, 'notes')}?pageSize=200`, options);
  useEffect(() => {
    if (changes > 0) void Promise.all([history.reload(), notes.reload()]);
  }, [changes]);
  return <Show of={history}>{({ entries }) => <Timeline entries={entries} notes={notes} />}</Show>;
}

type TimelineProps = { entries: HistoryEntry[]; notes: Resource<{ notes: Note[] }> };

function Timeline({ entries, notes }: TimelineProps): JSX.Element {
  const known = notes.data?.notes ?? [];
  const items = [
    ...entries.filter(({ action }) => !(notes.data && action === 'add-note')).map((entry) => ({ at: entry.at, entry })),
    ...known.map((note) => ({ at: note.at, note })),
  ].toSorted((a, b) => a.at.localeCompare(b.at));
  if (items.length === 0) return <Empty title="Nothing yet" />;
  return (
    <>
      <ol class="timeline">
        {items.map((item) =>
          'note' in item ? (
            <NoteItem key={item.note.noteId} note={item.note} />
          ) : (
            <EntryItem key={item.entry.entryId} entry={item.entry} />
          ),
        )}
      </ol>
      {notes.failure && !notes.data ? <Failed failure={notes.failure} /> : null}
    </>
  );
}

function NoteItem({ note }: { note: Note }): JSX.Element {
  return (
    <li class="note">
      <span class="when">
        <Time at={note.at} form="full" />
      </span>
      <span class="who">{note.author}</span>
      <p class="note-text">{note.text}</p>
    </li>
  );
}

function EntryItem({ entry }: { entry: HistoryEntry }): JSX.Element {
  const { from, to, who, why, action } = entry;
  return (
    <li class={`to-${to}`}>
      <span class="when">
        <Time at={entry.at} form="full" />
      </span>
      <span class="deed">{action.replaceAll('-', ' ')}</span>
      {from && from !== to ? (
        <span class="quiet">
          {from} → {to}
        </span>
      ) : null}
      <span class="who">{who}</span>
      {why ? <p class="quiet">{why}</p> : null}
    </li>
  );
}
