import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Alert } from '../../../shared/schema/alert.ts';
import { at } from '../api.ts';
import { Empty, Failed, Show } from '../components/states.tsx';
import { Time } from '../components/time.tsx';
import type { Note, Told, TrailEntry } from '../model.ts';
import { type Resource, useResource } from '../resource.ts';

type View = 'story' | 'explain';

/** What happened to an alert: its trail and notes on one line of time, and who was told. */
export function AlertStory({ alert, changes }: { alert: Alert; changes: number }): JSX.Element {
  const [view, setView] = useState<View>('story');
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
      {view === 'story' ? <Story alertId={alert.alertId} changes={changes} /> : <Explain alertId={alert.alertId} />}
    </section>
  );
}

function Story({ alertId, changes }: { alertId: string; changes: number }): JSX.Element {
  const history = useResource<{ entries: TrailEntry[] }>(at('alerts', alertId, 'history'), { on: ['alert'] });
  const notes = useResource<{ notes: Note[] }>(at('alerts', alertId, 'notes'), { on: ['alert'] });
  useEffect(() => {
    if (changes > 0) void Promise.all([history.reload(), notes.reload()]);
  }, [changes]);
  return <Show of={history}>{({ entries }) => <Timeline entries={entries} notes={notes} />}</Show>;
}

function Timeline({ entries, notes }: { entries: TrailEntry[]; notes: Resource<{ notes: Note[] }> }): JSX.Element {
  const items = [
    ...entries
      .filter(({ action }) => !notes.data || !isNote(action))
      .map((entry) => ({ at: entry.at, entry, note: null })),
    ...(notes.data?.notes ?? []).map((note) => ({ at: note.at, entry: null, note })),
  ].toSorted((a, b) => a.at.localeCompare(b.at));
  if (items.length === 0) return <Empty title="Nothing yet" />;
  return (
    <>
      <ol class="timeline">
        {items.map(({ at: instant, entry, note }, index) => (
          <li key={`${instant} ${index}`} class={note ? 'note' : `to-${entry?.to ?? 'same'}`}>
            <span class="when">
              <Time at={instant} form="full" />
            </span>
            {note ? <NoteText note={note} /> : entry ? <EntryText entry={entry} /> : null}
          </li>
        ))}
      </ol>
      {notes.failure && !notes.data ? <Failed failure={notes.failure} /> : null}
    </>
  );
}

const isNote = (action: unknown): boolean => action === 'add-note' || action === 'note' || action === 'noted';

function NoteText({ note }: { note: Note }): JSX.Element {
  return (
    <>
      <span class="who">{note.author}</span>
      <p class="note-text">{note.text}</p>
    </>
  );
}

export function EntryText({ entry }: { entry: TrailEntry }): JSX.Element {
  const { from, to, who, why, action } = entry;
  const change = from && to && from !== to ? `${from} → ${to}` : null;
  return (
    <>
      <span class="what">
        {String(action ?? 'changed').replaceAll(/[-.]/g, ' ')}
        {change ? <span class="quiet"> {change}</span> : null}
      </span>
      <span class="who">{who ?? ''}</span>
      {why ? <p class="quiet">{why}</p> : null}
    </>
  );
}

function Explain({ alertId }: { alertId: string }): JSX.Element {
  const explained = useResource<Record<string, unknown>>(at('alerts', alertId, 'explain'), { on: ['alert'] });
  return (
    <Show of={explained}>
      {(data) => {
        const lists = Object.entries(data).filter((pair): pair is [string, Told[]] => Array.isArray(pair[1]));
        if (lists.every(([, list]) => list.length === 0)) return <Empty title="Nobody was told" />;
        return (
          <>
            {lists.map(([name, list]) => (
              <ToldList key={name} name={name} list={list} />
            ))}
          </>
        );
      }}
    </Show>
  );
}

function ToldList({ name, list }: { name: string; list: Told[] }): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <>
      <h3>{name.replaceAll(/([A-Z])/g, ' $1').toLowerCase()}</h3>
      <ul class="told">
        {list.map((told, index) => (
          <li key={told.deliveryId ?? index}>
            {told.channel ? <span class="chip">{told.channel}</span> : null}
            <span>{[told.team, told.target].filter(Boolean).join(' · ')}</span>
            <span class="quiet">{told.why ?? String(told['status'] ?? '')}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
