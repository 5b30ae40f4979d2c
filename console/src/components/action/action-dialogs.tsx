import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Failure } from '../../client/api.ts';
import { keep, kept } from '../../client/kept.ts';
import type { Query } from '../../client/router.ts';
import { Dialog } from '../dialog.tsx';
import { Form, TextField } from '../form.tsx';
import { type ActionBody, actionNames, type ChangingAction, type Noun } from './actions.ts';

/** An action that needs a text, a time or a confirmation, and its records. `matching`: all records that match these filters. */
export type Asked = {
  noun: Noun;
  ids: string[];
  action: ChangingAction;
  etag: string | null;
  what: string;
  matching?: Query;
};
type Draft = { asked: Asked; text: string };

const snoozes: [minutes: number, text: string][] = [
  [30, '30 min'],
  [60, '1 hour'],
  [240, '4 hours'],
  [720, '12 hours'],
  [1440, '1 day'],
  [10_080, '1 week'],
];

const keptName = 'action';
/**
 * The action whose text a person was typing when the session ended. Null: none for this kind of record. The record may
 * have changed since, so no version is required.
 */
export function askedBefore(noun: Noun): Asked | null {
  const draft = kept<Draft>(keptName);
  return draft?.asked.noun === noun ? { ...draft.asked, etag: null } : null;
}

function textKept({ noun, action, ids }: Asked): string {
  const draft = kept<Draft>(keptName);
  const isOfThis =
    draft?.asked.noun === noun && draft.asked.action === action && String(draft.asked.ids) === String(ids);
  return isOfThis ? draft.text : '';
}

type Props = { asked: Asked; onSubmit: (body: ActionBody) => Promise<Failure | null>; onClose: () => void };

/**
 * Asks for the details of an action: how long, why, or a text. It stays open with the typed text until the service has performed the
 * action.
 */
export function ActionDialog({ asked, onSubmit, onClose }: Props): JSX.Element {
  const { action, ids, what } = asked;
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [text, setText] = useState(() => textKept(asked));
  const write = (next: string) => {
    setText(next);
    keep<Draft>(keptName, { asked, text: next });
  };
  const leave = () => {
    keep(keptName, null);
    onClose();
  };
  const send = async (body: ActionBody) => {
    if (isBusy) return;
    setBusy(true);
    const found = await onSubmit(body);
    setBusy(false);
    setFailure(found && withWhatIsNext(found));
    if (!found) leave();
  };
  const parts = { action, text, setText: write, failure, isBusy, onSubmit: send };
  return (
    <Dialog title={`${actionNames[action].name} ${what}`} onClose={leave} isTyped={text !== ''}>
      <Consequence action={action} noun={asked.noun} isMany={ids.length !== 1} />
      {action === 'snooze' ? <SnoozeForm {...parts} /> : <WordsForm {...parts} />}
    </Dialog>
  );
}

type ConsequenceProps = { action: ChangingAction; noun: Noun; isMany: boolean };

/** Consequences of the action that a person may not expect. */
function Consequence({ action, noun, isMany }: ConsequenceProps): JSX.Element | null {
  if (action === 'snooze') {
    return <p class="hint">Nobody is notified and the response time stands still until then.</p>;
  }
  if (action !== 'resolve') return null;
  if (noun === 'incidents') return <p class="notice">It ends by itself when what caused it is over.</p>;
  return (
    <p class="notice">
      {isMany ? 'Alerts end by themselves when their conditions do' : 'It ends by itself when its condition does'}. What
      still holds when you resolve it is muted: you will not hear of it for an hour.
    </p>
  );
}

/** After a lost connection or an ended session: says that the text is kept and must be sent again. */
function withWhatIsNext(failure: Failure): Failure {
  if (failure.kind !== 'offline' && failure.kind !== 'signed-out') return failure;
  const when = failure.kind === 'offline' ? 'once the service can be reached again' : 'after you have signed in again';
  return {
    ...failure,
    title: 'Not sent',
    detail: `What you typed is kept here. Nothing is sent by itself: send it ${when}.`,
  };
}

type Parts = {
  action: ChangingAction;
  text: string;
  setText: (text: string) => void;
  failure: Failure | null;
  isBusy: boolean;
  onSubmit: (body: ActionBody) => unknown;
};

function SnoozeForm({ text: until, setText, failure, isBusy, onSubmit }: Parts): JSX.Element {
  const isAhead = until !== '' && Date.parse(until) > Date.now();
  return (
    <>
      <div class="choices">
        {snoozes.map(([minutes, name]) => (
          <button type="button" class="button" key={minutes} disabled={isBusy} onClick={() => onSubmit({ minutes })}>
            {name}
          </button>
        ))}
      </div>
      <Form failure={failure} onSubmit={() => (isAhead ? onSubmit({ until: new Date(until).toISOString() }) : null)}>
        <TextField label="Or until" type="datetime-local" value={until} onChange={setText} hint="At most 30 days." />
        <footer class="buttons">
          <button type="submit" class="button primary" disabled={!isAhead || isBusy}>
            Snooze
          </button>
        </footer>
      </Form>
    </>
  );
}

function WordsForm({ action, text, setText, failure, isBusy, onSubmit }: Parts): JSX.Element {
  const isNote = action === 'add-note';
  const words = text.trim();
  const isReady = !isNote || words !== '';
  const submit = () => {
    if (!isReady) return;
    if (isNote) onSubmit({ text: words });
    else onSubmit(words ? { comment: words } : {});
  };
  return (
    <Form failure={failure} onSubmit={submit}>
      <TextField
        label={isNote ? 'Note' : 'Comment (optional)'}
        value={text}
        onChange={setText}
        hint={isNote ? 'Kept with it for everybody.' : 'Stands in the history beside your name.'}
        {...(isNote ? { rows: 4 } : {})}
      />
      <footer class="buttons">
        <span class="quiet hide-small">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> sends
        </span>
        <button type="submit" class="button primary" disabled={!isReady || isBusy}>
          {actionNames[action].name}
        </button>
      </footer>
    </Form>
  );
}
