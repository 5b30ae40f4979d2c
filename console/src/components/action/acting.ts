import { useEffect, useState } from 'preact/hooks';
import type { Failure } from '../../client/api.ts';
import type { Resource } from '../../client/resource.ts';
import { useKeys } from '../../keys.ts';
import { sayProblem } from '../toast.tsx';
import { type Asked, askedBefore } from './action-dialogs.tsx';
import {
  type ActionBody,
  act,
  actionNames,
  type ChangingAction,
  isPlain,
  type Lively,
  type LivelyKind,
  refusalOf,
} from './actions.ts';

/** Performs actions on the one record of a page, by button or key. `done` counts them, so that the trail is read again. */
export function useActing<T extends Lively>(kind: LivelyKind<T>, id: string, shown: Resource<T>, mayWrite: boolean) {
  const [asked, setAsked] = useState<Asked | null>(() => askedBefore(kind.noun));
  const [done, setDone] = useState(0);
  const { reload } = shown;
  useEffect(() => {
    if (done > 0) void reload();
  }, [done, reload]);
  const counted = () => setDone((count) => count + 1);
  const submit = async ({ ids: [of = id], action, etag }: Asked, body: ActionBody = {}): Promise<Failure | null> => {
    const failure = await act(kind, of, action, { body, etag, changed: counted });
    return failure && refusalOf(failure, action);
  };
  const ask = (action: ChangingAction) => {
    const { data, etag } = shown;
    if (!mayWrite || !data?.availableActions.includes(action)) return;
    // A note can be added whatever happened meanwhile. An action that changes the state requires the version that the operator saw.
    const seen = action === 'add-note' ? null : etag;
    const one: Asked = { noun: kind.noun, ids: [id], action, etag: seen, what: kind.nameOf(data) };
    if (isPlain(action)) void submit(one).then((failure) => failure && sayProblem(failure));
    else setAsked(one);
  };
  useKeys(
    Object.fromEntries((Object.keys(actionNames) as ChangingAction[]).map((action) => [action, () => ask(action)])),
  );
  return { asked, ask, submit, done, close: () => setAsked(null) };
}
