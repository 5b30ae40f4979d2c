import type { JSX } from 'preact';
import { keysOn, keyTable, switchKeys } from '../../keys.ts';
import { useStore } from '../../store.ts';
import { Dialog } from '../dialog.tsx';
import { Check } from '../form.tsx';
import { usePlaces } from './places.ts';

/** Keys that are not in the table, because the browser, a dialog or the shell handles them. */
const others: [keys: string[], what: string][] = [
  [['Enter'], 'Open the alert that has the ring'],
  [['Ctrl', 'Enter'], 'Send a dialog'],
  [['Ctrl', 'K'], 'Search everything, and go there'],
];

export function Help({ onClose }: { onClose: () => void }): JSX.Element {
  const places = usePlaces();
  const keys: [keys: string[], what: string][] = [
    ...Object.values(keyTable).map(({ key, words }): [string[], string] => [[key === 'Escape' ? 'Esc' : key], words]),
    ...others,
    ...places.map(({ key, name }): [string[], string] => [[keyTable.go.key, key], name]),
  ];
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
      <p>
        <a href="/docs/start/operator/" target="_blank" rel="noreferrer">
          What Watchpost does, and how to read it
        </a>
      </p>
      <Check label="Single keys are on" checked={useStore(keysOn)} onChange={switchKeys} />
    </Dialog>
  );
}
