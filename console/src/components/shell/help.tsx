import type { JSX } from 'preact';
import { keysOn, switchKeys } from '../../keys.ts';
import { useStore } from '../../store.ts';
import { Dialog } from '../dialog.tsx';
import { Check } from '../form.tsx';

const keys: [keys: string[], what: string][] = [
  [['j', 'k'], 'Next, previous alert; the arrows too'],
  [['Enter'], 'Open it'],
  [['Esc'], 'Close it, or clear the selection'],
  [['x'], 'Select'],
  [['d'], 'Drop from the selection what is not in view'],
  [['a'], 'Acknowledge'],
  [['r'], 'Resolve'],
  [['s'], 'Snooze'],
  [['n'], 'Add a note to the open alert'],
  [['o'], 'Reopen'],
  [['z'], 'Undo, while the message offers it'],
  [['Ctrl', 'Enter'], 'Send a dialog'],
  [['/'], 'Search'],
  [
    ['g', 'f'],
    'Go to fleet; g a alerts, g d devices, g w webhooks, g r rules, g m maintenance, g t teams, g q quarantine, g s settings',
  ],
  [['?'], 'This help'],
];

export function Help({ onClose }: { onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {keys.map(([list, what]) => (
          <div key={what}>
            <dt>
              {list.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Check label="Single keys are on" checked={useStore(keysOn)} onChange={switchKeys} />
    </Dialog>
  );
}
