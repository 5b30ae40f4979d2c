import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type ActionBody, actionNames, type ChangingAction } from '../alert-actions.ts';
import { plural } from '../format.ts';
import { Dialog } from './dialog.tsx';
import { Form, TextField } from './form.tsx';

type Props = { action: ChangingAction; count: number; onSubmit: (body: ActionBody) => unknown; onClose: () => void };

const snoozes: [minutes: number, text: string][] = [
  [30, '30 min'],
  [60, '1 hour'],
  [240, '4 hours'],
  [720, '12 hours'],
  [1440, '1 day'],
  [10_080, '1 week'],
];

/** Asks what an action needs to know: how long, why, which words. */
export function ActionDialog({ action, count, onSubmit, onClose }: Props): JSX.Element {
  const title = `${actionNames[action].name}${count > 1 ? ` ${plural(count, 'alert')}` : ''}`;
  return (
    <Dialog title={title} onClose={onClose}>
      {action === 'snooze' ? <SnoozeForm onSubmit={onSubmit} /> : <WordsForm action={action} onSubmit={onSubmit} />}
    </Dialog>
  );
}

function SnoozeForm({ onSubmit }: Pick<Props, 'onSubmit'>): JSX.Element {
  const [until, setUntil] = useState('');
  const isAhead = until !== '' && Date.parse(until) > Date.now();
  return (
    <>
      <p class="hint">Nobody is notified and the response time stands still until then.</p>
      <div class="choices">
        {snoozes.map(([minutes, text]) => (
          <button type="button" class="button" key={minutes} onClick={() => onSubmit({ minutes })}>
            {text}
          </button>
        ))}
      </div>
      <Form onSubmit={() => (isAhead ? onSubmit({ until: new Date(until).toISOString() }) : null)}>
        <TextField
          label="Or until"
          type="datetime-local"
          value={until}
          onChange={setUntil}
          hint="In your time zone; at most 30 days."
        />
        <footer class="buttons">
          <button type="submit" class="button primary" disabled={!isAhead}>
            Snooze
          </button>
        </footer>
      </Form>
    </>
  );
}

function WordsForm({ action, onSubmit }: Pick<Props, 'action' | 'onSubmit'>): JSX.Element {
  const [text, setText] = useState('');
  const isNote = action === 'add-note';
  const isReady = !isNote || text.trim() !== '';
  const submit = () => {
    if (!isReady) return;
    if (isNote) onSubmit({ text: text.trim() });
    else onSubmit(text.trim() ? { comment: text.trim() } : {});
  };
  return (
    <Form onSubmit={submit}>
      <TextField
        label={isNote ? 'Note' : 'Comment (optional)'}
        value={text}
        onChange={setText}
        hint={isNote ? 'Kept with the alert for everybody.' : 'Stands in the history beside your name.'}
        {...(isNote ? { rows: 4 } : {})}
      />
      <footer class="buttons">
        <button type="submit" class="button primary" disabled={!isReady}>
          {actionNames[action].name}
        </button>
      </footer>
    </Form>
  );
}
