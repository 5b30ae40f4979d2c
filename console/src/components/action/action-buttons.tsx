import type { JSX } from 'preact';
import { useMay } from '../../client/auth.ts';
import { KeyHint } from '../keys/key-hint.tsx';
import { actionNames, actionsOf, type ChangingAction, type Lively } from './actions.ts';

type Props = { of: Lively; onAction: (action: ChangingAction) => void };

/** The buttons for the actions that the service offers in the present state. */
export function ActionButtons({ of, onAction }: Props): JSX.Element {
  const mayWrite = useMay('alerts:write');
  return (
    <div class="buttons actions">
      {(mayWrite ? actionsOf(of) : []).map((action) => (
        <button
          key={action}
          type="button"
          class={action === 'acknowledge' ? 'button primary' : 'button'}
          aria-keyshortcuts={actionNames[action].key}
          onClick={() => onAction(action)}
        >
          {actionNames[action].name} <KeyHint of={actionNames[action].key} />
        </button>
      ))}
      {mayWrite ? null : <p class="quiet">You may look, but not change anything here.</p>}
    </div>
  );
}
