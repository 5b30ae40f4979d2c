import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { HistoryEntry, Note } from '../../../../shared/schema/alert/life.ts';
import { at } from '../../client/api.ts';
import { type Resource, useResource } from '../../client/resource.ts';
import { isAbout } from '../../client/stream.ts';
import { Empty, Failed, Show } from '../states.tsx';
import { Time } from '../time.tsx';
import type { Noun } from './actions.ts';
import { actorOf, deedOf } from './trail-words.ts';

type Entry = Omit<HistoryEntry, 'alertId'>;
type Written = Omit<Note, 'alertId'>;
type Props = { noun: Noun; id: string; changes: number; everyMs?: number };

/** The changes of an alert or an incident and people's notes, in one timeline. */
export function Trail({ noun, id, changes, everyMs }: Props): JSX.Element {
  const options = {
    on: ['alert', 'incident'],
    isAbout: isAbout(noun, id),
    ...(everyMs === undefined ? {} : { everyMs }),
  };
  const history = useResource<{ entries: Entry[] }>(`${at(noun, id, 'history')}?pageSize=200`, options);
  const notes = useResource<{ notes: Written[] }>(`${at(noun, id, 'notes')}?pageSize=200`, options);
  useEffect(() => {
    if (changes > 0) void Promise.all([history.reload(), notes.reload()]);
  }, [changes]);
  return <Show of={history}>{({ entries }) => <Timeline entries={entries} notes={notes} />}</Show>;
}

type TimelineProps = { entries: Entry[]; notes: Resource<{ notes: Written[] }> };

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

function NoteItem({ note }: { note: Written }): JSX.Element {
  return (
    <li class="note">
      <span class="when">
        <Time at={note.at} form="full" />
      </span>
      <span class="who">{actorOf(note.author)}</span>
      <p class="note-text">{note.text}</p>
    </li>
  );
}

function EntryItem({ entry }: { entry: Entry }): JSX.Element {
  const { from, to, who, why, action } = entry;
  return (
    <li class={`to-${to} did-${action}`}>
      <span class="when">
        <Time at={entry.at} form="full" />
      </span>
      <span class="deed">{deedOf(action)}</span>
      {from && from !== to ? (
        <span class="quiet">
          {from} → {to}
        </span>
      ) : null}
      <span class="who" title={who}>
        by {actorOf(who)}
      </span>
      {why ? <p class="quiet">{why}</p> : null}
    </li>
  );
}
