import { actOnAlert } from '../../../shared/app/alerts/actions.ts';
import type { Senders } from '../../../shared/app/deliveries/attempt.ts';
import { createDispatcher, type Dispatcher } from '../../../shared/app/deliveries/deliver.ts';
import { handleDue } from '../../../shared/app/due/due.ts';
import { sweep } from '../../../shared/app/due/sweep.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import type { Store, Waker, World } from '../../../shared/app/ports.ts';
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts';
import { AppError } from '../../../shared/errors.ts';
import { ana, giveTeam } from '../records/alerts.ts';
import { endpoint, failure, success } from '../records/deliveries.ts';
import { detection } from '../records/detections.ts';
import { message } from '../records/reports.ts';
import { guardianAlert } from '../records/stories.ts';
import { frames } from '../world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../world/world.ts';
import { never } from './instances.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;

/**
 * Decides the fate of one call of a process to the outside: `act` makes the call take effect, `stop` kills the process, which then does nothing more.
 */
export type Interrupt = <T>(
  call: number,
  name: string,
  act: () => Promise<T>,
  stop: () => Promise<never>,
) => Promise<T>;

type Process = { world: World; dispatcher: Dispatcher };
type Step = (process: Process, store: Store) => Promise<unknown>;

/** `gathered`: the ids of messages that a digest took. */
export type Outcome = { state: string[]; gathered: string[]; sent: Map<string, Set<string>>; calls: number };

const minute = 60;
const hooks = [
  endpoint({ maxAttempts: 2, timeoutSeconds: 5 }),
  endpoint({ webhookId: '22222222-2222-4222-8222-222222222222', events: ['detection'], maxAttempts: 2 }),
];

/**
 * Runs every handler once. `interrupt` controls every call to the store, the wakes and the receivers, and a new process repeats each step until it
 * succeeds. Then time passes until nothing is due.
 */
export async function liveInterrupted(inner: Store, interrupt: Interrupt): Promise<Outcome> {
  const clock = createTestWorld(inner);
  await giveTeam(clock, 'operations', { emails: ['ops@example.com'] });
  await inner.commit(hooks.map((data) => ({ kind: 'create', in: 'webhooks', id: data.webhookId, data })));
  const sent = new Map<string, Set<string>>();
  let calls = 0;
  let generation = 0;
  let giveUp = (_: Error): void => {};
  const stop = () => {
    generation += 1;
    giveUp(new Error('stopped'));
    return never();
  };
  const start = (): Process => {
    const born = generation;
    const through = <T>(name: string, act: () => Promise<T>): Promise<T> => {
      if (born !== generation) return never();
      calls += 1;
      return interrupt(calls, name, act, stop);
    };
    const world = worldThrough(clock, inner, through);
    return { world, dispatcher: createDispatcher(world, sendersThrough(sent, through), () => 0) };
  };
  const untilDone = (run: () => Promise<unknown>) =>
    repeat(() => {
      const stopped = new Promise((_, reject) => {
        giveUp = reject;
      });
      return Promise.race([run(), stopped]);
    });
  for (const { pass, step } of steps()) {
    if (pass) clock.pass(pass);
    await untilDone(() => step(start(), inner));
  }
  for (let round = 0; round < 14; round += 1) {
    clock.pass(2 * minute);
    await untilDone(() => sweep(start().world));
    for (const id of await dueDeliveries(inner, clock.now())) await untilDone(() => start().dispatcher.attempt(id));
  }
  const byDigest = await inner.find({
    in: 'deliveries',
    where: [{ field: 'dismissedReason', is: '==', value: 'digest' }],
    limit: 10_000,
  });
  return { state: await stateOf(inner), gathered: byDigest.map(({ id }) => id), sent, calls };
}

async function repeat(run: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      await run();
      return;
    } catch (error) {
      // A repeated action may be refused because the first try took effect.
      if (error instanceof AppError && error.status < 500) return;
    }
  }
  throw new Error('never done');
}

/** A world whose calls to the store and whose wakes go through a function. */
export function worldThrough(
  clock: TestWorld,
  inner: Store,
  through: <T>(name: string, act: () => Promise<T>) => Promise<T>,
): World {
  const store: Store = {
    get: (kind, ids) => through('get', () => inner.get(kind, ids)),
    getMany: (ids) => through('getMany', () => inner.getMany(ids)),
    commit: (writes) => through('commit', () => inner.commit(writes)),
    find: (query) => through('find', () => inner.find(query)),
    count: (query) => through('count', () => inner.count(query)),
    tail: (tail) => through('tail', () => inner.tail(tail)),
  };
  const waker: Waker = { wake: (wakes) => through('wake', () => clock.waker.wake(wakes)) };
  return { ...clock, store, waker };
}

/** Receivers that fail the first attempt of a detection and accept everything else. */
function sendersThrough(
  sent: Map<string, Set<string>>,
  through: <T>(name: string, act: () => Promise<T>) => Promise<T>,
): Senders {
  const sender: Senders['webhook'] = {
    send: ({ deliveryId, eventType, eventId, webhookId, body }, attempt) =>
      through('send', async () => {
        const key = `${webhookId} ${eventType} ${eventId}`;
        // An attempt whose outcome is unknown is repeated, and says then who has the alert by now, with a link of its own.
        const said = webhookId === null ? JSON.parse(body).subject : body;
        sent.set(key, (sent.get(key) ?? new Set()).add(`${deliveryId} ${said}`));
        return eventType === 'detection' && attempt === 1 ? failure : success;
      }),
  };
  return { webhook: sender, email: sender };
}

function steps(): { pass?: number; step: Step }[] {
  const at = (seconds: number) => new Date(Date.parse(startOfTests) + seconds * 1000).toISOString();
  const say = (seconds: number, kind: string, body: unknown) => {
    const notified = message(kind, body, { publishTime: at(seconds), messageId: `m-${seconds}-${kind}` });
    return { step: (({ world }) => takeMessage(world, notified, intake)) as Step };
  };
  const status = (seconds: number, seq: number, usedPercent: number) =>
    say(seconds, 'status', { bootId: 'b', seq, timestamp: at(seconds), groupId: 'north', memory: { usedPercent } });
  const alertOf = async (store: Store, code: string) => {
    const [found] = await store.find({ in: 'alerts', where: [{ field: 'code', is: '==', value: code }], limit: 1 });
    return found?.id ?? '';
  };
  const act = (code: string, kind: 'acknowledge' | 'resolve' | 'reopen', pass = 1) => ({
    pass,
    step: (async ({ world }, store) =>
      actOnAlert(world, ana, await alertOf(store, code), { kind, comment: `${kind} once` }, null)) as Step,
  });
  const deliver = (pass: number) => ({
    pass,
    step: (async ({ dispatcher, world }, store) => {
      for (const id of await dueDeliveries(store, world.now())) await dispatcher.attempt(id);
    }) as Step,
  });
  return [
    status(0, 1, 95),
    say(1, 'detection', detection('s-1', { timestamp: at(1) })),
    say(2, 'guardian', guardianAlert('drift', ['clientId'], at(2))),
    say(3, 'event', { type: 'unauthorized_broker_attempt', timestamp: at(3) }),
    { step: ({ world }) => takeMessage(world, message('status', 'no status', { messageId: 'poison' }), intake) },
    deliver(5),
    act('RES_001', 'acknowledge'),
    act('SEC_002', 'resolve'),
    act('SEC_002', 'reopen'),
    { ...say(90, 'guardian', guardianAlert('heal', ['clientId'], at(90))), pass: 80 },
    status(95, 2, 40),
    deliver(40),
    say(140, 'connection', { status: 'offline', connectedAt: at(0) }),
    { pass: 6 * minute, step: ({ world }) => handleDue(world, 'devices', 'cam-1') },
    { step: async ({ world }, store) => handleDue(world, 'alerts', await alertOf(store, 'SEC_002')) },
    {
      step: async ({ world }, store) => {
        for (const { id } of await store.find({ in: 'targets', limit: 100 })) await handleDue(world, 'targets', id);
      },
    },
    say(600, 'connection', { status: 'online', connectedAt: at(600) }),
    deliver(2 * minute),
  ];
}

async function dueDeliveries(store: Store, now: string): Promise<string[]> {
  const due = await store.find({
    in: 'deliveries',
    where: [{ field: 'dueAt', is: '<=', value: now }],
    orderBy: [['dueAt', 'asc']],
    limit: 1000,
  });
  return due.map(({ id }) => id);
}

/** What must not depend on interruptions: alerts with their trails, the records of messages, and the result of each delivery. */
async function stateOf(store: Store): Promise<string[]> {
  const all = { limit: 10_000 };
  const [alerts, audit, deliveries, detections, guardian, quarantine, activity] = await Promise.all([
    store.find({ in: 'alerts', ...all }),
    store.find({ in: 'audit', ...all }),
    store.find({ in: 'deliveries', ...all }),
    store.find({ in: 'detections', ...all }),
    store.find({ in: 'guardianAlerts', ...all }),
    store.find({ in: 'quarantine', ...all }),
    store.find({ in: 'activity', ...all }),
  ]);
  const ids = (kind: string, found: { id: string }[]) => found.map(({ id }) => `${kind} ${id}`);
  return [
    ...alerts.map(({ id, data }) => `alert ${id} ${data.code} ${data.status} ${data.occurrences}`),
    ...audit.map(({ data }) => `trail ${data.alertId} ${data.action} ${data.from} ${data.to} ${data.who} ${data.why}`),
    // The id of a notice depends on when the platform noticed, and that of a digest on earlier messages, so both are left out.
    ...deliveries
      .filter(({ data }) => data.eventType !== 'digest' && data.eventType !== 'notice')
      .map(({ id, data }) => `delivery ${id} ${data.targetName} ${data.eventType} ${endOf(data)}`),
    ...ids('detection', detections),
    ...ids('guardian alert', guardian),
    ...ids('quarantined', quarantine),
    ...ids('activity', activity),
  ].toSorted();
}

/** The result of a delivery. A delayed message to people may be part of a digest, or no longer be true, so these results are equal. */
function endOf({ slot, status, attemptCount, dismissedReason }: Delivery): string {
  const isSettled = slot !== null && (status === 'delivered' || dismissedReason !== null);
  return isSettled ? 'settled' : `${status} ${attemptCount}`;
}
