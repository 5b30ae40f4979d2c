import type { AlertAction, AlertStatus } from '../../../../shared/schema/vocabulary.ts';
import { at, call, type Failure, failureFrom, write } from '../../client/api.ts';
import { keyTable } from '../../keys.ts';
import { say } from '../toast.tsx';

/** An action that changes something: every action except `view-history`. */
export type ChangingAction = Exclude<AlertAction, 'view-history'>;

export const actionNames: Record<ChangingAction, { name: string; done: string; key: string }> = {
  acknowledge: { name: 'Acknowledge', done: 'acknowledged', key: keyTable.acknowledge.key },
  resolve: { name: 'Resolve', done: 'resolved', key: keyTable.resolve.key },
  snooze: { name: 'Snooze', done: 'snoozed', key: keyTable.snooze.key },
  'add-note': { name: 'Add note', done: 'noted', key: keyTable['add-note'].key },
  reopen: { name: 'Reopen', done: 'reopened', key: keyTable.reopen.key },
};

const segments: Record<ChangingAction, string> = {
  acknowledge: 'acknowledge',
  resolve: 'resolve',
  snooze: 'snooze',
  'add-note': 'notes',
  reopen: 'reopen',
};
/** The action that undoes another. */
export const undoings: Partial<Record<ChangingAction, 'unacknowledge' | 'unsnooze'>> = {
  acknowledge: 'unacknowledge',
  snooze: 'unsnooze',
};

/** The members that actions need. Alerts and incidents both have them. */
export type Lively = { status: AlertStatus; availableActions: readonly AlertAction[]; undoUntil?: string };
export type Noun = 'alerts' | 'incidents';
/** The kind of record, and its name in messages. */
export type LivelyKind<T extends Lively> = { noun: Noun; word: string; nameOf: (record: T) => string };

export type ActionBody = { comment?: string; minutes?: number; until?: string; text?: string };

/** `changed` gets each new state, or null where the state must be read again. */
type Doing<T> = { body?: ActionBody; etag?: string | null; changed: (record: T | null) => unknown };

/**
 * Performs one action on one record, shows a message and offers to undo it.
 * @returns why it failed; null when it succeeded
 */
export async function act<T extends Lively>(
  { noun, word, nameOf }: LivelyKind<T>,
  id: string,
  action: ChangingAction,
  { body = {}, etag, changed }: Doing<T>,
): Promise<Failure | null> {
  try {
    const { data } = await call<unknown>('POST', at(noun, id, segments[action]), { body, ifMatch: etag ?? null });
    const record = isLively<T>(data) ? data : null;
    changed(record);
    say(`${record ? nameOf(record) : word} ${actionNames[action].done}.`, { undo: undoOf(record) });
    return null;
  } catch (error) {
    const failure = failureFrom(error);
    if (failure.kind === 'conflict') changed(null);
    return failure;
  }

  function undoOf(record: T | null) {
    const undoing = undoings[action];
    if (!undoing || !record?.undoUntil) return null;
    return async () => {
      const undone = await write<T>('POST', at(noun, id, undoing)).finally(() => changed(null));
      changed(undone);
      say(`Undone: ${nameOf(undone)} is ${undone.status} again.`);
    };
  }
}

/** Explains a conflict (409, 412) in a sentence. Other failures are returned unchanged. */
export function refusalOf(failure: Failure, action: ChangingAction): Failure {
  if (failure.kind !== 'conflict') return failure;
  const why = failure.status === 412 ? 'It changed while you were looking at it' : failure.detail || failure.title;
  return {
    ...failure,
    kind: 'failed',
    title: `Not ${actionNames[action].done}: ${why.replace(/\.$/, '')}`,
    detail: 'You now see it as it is; look again and decide.',
  };
}

/** The actions that are possible now. */
export function actionsOf({ availableActions }: Lively): ChangingAction[] {
  return availableActions.flatMap((action) => (action === 'view-history' ? [] : [action]));
}

/** Whether an action needs no details. All others ask for a text, a time or a confirmation. */
export function isPlain(action: ChangingAction): boolean {
  return action === 'acknowledge' || action === 'reopen';
}

function isLively<T>(data: unknown): data is T {
  return typeof data === 'object' && data !== null && 'availableActions' in data;
}
