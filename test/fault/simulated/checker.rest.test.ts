import { expect, test } from 'vitest';
import { Conflict, type Store, type World, type Write } from '../../../shared/app/ports.ts';
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts';
import { plus } from '../../../shared/domain/time.ts';
import { check } from '../../support/simulation/checker.ts';
import { amissIn } from '../../support/simulation/seeds.ts';
import { type Given, type Service, service, simulate } from '../../support/simulation/simulation.ts';
import { clear, type Sky } from '../../support/simulation/sky.ts';
import { startOfTests } from '../../support/world/world.ts';

/** Seeds are tried one after another until one shows the bug: that depends on which events coincide. */
const seeds = Array.from({ length: 10 }, (_, index) => index + 1);
const events = 250;

/** The service with a changed store in the given parts. */
function withStore(change: (store: Store) => Store, parts: (keyof Service)[]): Service {
  const stores = new WeakMap<Store, Store>();
  const changed = (world: World): World => {
    const store = stores.get(world.store) ?? change(world.store);
    stores.set(world.store, store);
    return { ...world, store };
  };
  return {
    take: (world, message) => service.take(parts.includes('take') ? changed(world) : world, message),
    due: (world, wake) => service.due(parts.includes('due') ? changed(world) : world, wake),
    sweep: (world, canaries) => service.sweep(parts.includes('sweep') ? changed(world) : world, canaries),
    dispatcherFor: (world, ...rest) =>
      service.dispatcherFor(parts.includes('dispatcherFor') ? changed(world) : world, ...rest),
    act: (world, ...rest) => service.act(parts.includes('act') ? changed(world) : world, ...rest),
    look: (world, deviceId) => service.look(parts.includes('look') ? changed(world) : world, deviceId),
  };
}

const withCommit = (store: Store, commit: (writes: readonly Write[]) => ReturnType<Store['commit']>): Store => ({
  ...store,
  commit,
});

/** Leaves these writes out of every commit, as if the code had forgotten them. */
const withoutWrites = (isLeftOut: (write: Write) => boolean) => (store: Store) =>
  withCommit(store, async (writes) => {
    const kept = writes.filter((write) => !isLeftOut(write));
    const revisions = await store.commit(kept);
    return writes.map((write) => revisions[kept.indexOf(write)] ?? (revisions[0] as never));
  });

/** A store without optimistic concurrency: the last write wins. */
const unfenced = (store: Store) =>
  withCommit(store, async (writes) => {
    for (;;) {
      const fresh = await Promise.all(
        writes.map(async (write): Promise<Write> => {
          if (write.kind !== 'replace') return write;
          const [stored = null] = await store.get(write.in, [write.id]);
          return stored ? ({ ...write, revision: stored.revision } as Write) : write;
        }),
      );
      try {
        return await store.commit(fresh);
      } catch (error) {
        if (!(error instanceof Conflict) || writes.some(({ kind }) => kind === 'create')) throw error;
      }
    }
  });

const isLease = (write: Write) =>
  write.kind === 'replace' && write.in === 'deliveries' && (write.data as Delivery).leasedUntil !== null;
/** Leases are not stored: the attempt is made, but no other process knows of it. */
const unleased = (store: Store) =>
  withCommit(store, async (writes) => {
    const [write] = writes;
    if (!write || !isLease(write) || write.kind !== 'replace') return store.commit(writes);
    return [write.revision];
  });

/** Held alerts lose their due time, so they are never handled again. */
const withoutClockOfHeld = (store: Store) =>
  withCommit(store, (writes) =>
    store.commit(
      writes.map((write): Write => {
        if ((write.kind !== 'create' && write.kind !== 'replace') || write.in !== 'alerts') return write;
        return write.data.notifyAfter === null ? write : { ...write, data: { ...write.data, dueAt: null } };
      }),
    ),
  );

/** Opening messages are dismissed as overtaken when they should leave. */
const withoutOpenings = (store: Store) =>
  withCommit(store, (writes) =>
    store.commit(
      writes.map((write): Write => {
        if (write.kind !== 'replace' || write.in !== 'deliveries') return write;
        if (write.data.message?.occasion !== 'opened' || write.data.leasedUntil === null) return write;
        const { createdAt: finishedAt } = write.data;
        const over = { status: 'dismissed', dismissedReason: 'overtaken', finishedAt, leasedUntil: null, dueAt: null };
        return { ...write, data: { ...write.data, ...over } as Delivery };
      }),
    ),
  );

/** Bugs of every kind that the checker must find. Without them, and under the same faults, it finds nothing. */
const planted: [bug: string, given: Partial<Given>, kind: 'lost' | 'wrong' | 'doubled'][] = [
  [
    'a message acknowledged before its commit',
    { service: { ...service, take: async (...given) => void service.take(...given).catch(() => {}) } },
    'lost',
  ],
  [
    'a fault taken for handled',
    { service: { ...service, take: (...given) => service.take(...given).catch(() => {}) } },
    'lost',
  ],
  ['an attempt without a lease', { service: withStore(unleased, ['dispatcherFor']) }, 'doubled'],
  [
    'writes without a fence',
    { service: withStore(unfenced, ['take', 'due', 'sweep', 'act', 'dispatcherFor']) },
    'doubled',
  ],
  [
    'wakes that are lost, and no sweep',
    { service: { ...service, sweep: async () => {} }, waker: () => ({ wake: async () => {} }) },
    'lost',
  ],
  ['wakes of deliveries set once and no sweep', { service: { ...service, sweep: async () => {} } }, 'lost'],
  [
    'a trail with a line left out',
    {
      service: withStore(
        withoutWrites(({ kind, in: of, id }) => kind === 'create' && of === 'audit' && id.endsWith('3')),
        ['take', 'due', 'act'],
      ),
    },
    'lost',
  ],
  [
    'a detection whose deliveries are not of its commit',
    {
      service: withStore(
        withoutWrites(({ kind, in: of, id }) => kind === 'create' && of === 'deliveries' && id.endsWith('7')),
        ['take'],
      ),
    },
    'lost',
  ],
  [
    'a copy taken for a new message',
    {
      service: {
        ...service,
        take: (world, message) => {
          const body = message.data.toString().replace(/"id":"(cam-\d+-\d+)"/, () => `"id":"again-${world.now()}"`);
          return service.take(world, {
            ...message,
            messageId: `${message.messageId}-${Date.parse(world.now())}`,
            data: Buffer.from(body),
          });
        },
      },
    },
    'wrong',
  ],
  [
    'an alert raised a second time',
    {
      service: {
        ...service,
        take: async (world, message) => {
          await service.take(world, message);
          await service.take(world, {
            ...message,
            data: Buffer.from(message.data.toString().replace(/"(timestamp)":"[^"]+"/, `"$1":"${world.now()}"`)),
          });
        },
      },
    },
    'doubled',
  ],
  [
    'an action done twice',
    {
      service: {
        ...service,
        act: async (world, id, command, version) => {
          const done = await service.act(world, id, command, version);
          if (command.kind === 'acknowledge')
            await service.act(world, id, { kind: 'add-note', text: command.comment ?? '' }, null);
          return done;
        },
      },
    },
    'doubled',
  ],
  ['a message that is true and does not leave', { service: withStore(withoutOpenings, ['dispatcherFor']) }, 'lost'],
  [
    'an opening that is held and forgotten',
    { service: withStore(withoutClockOfHeld, ['take', 'due', 'sweep']) },
    'lost',
  ],
  [
    'an answer given before the action is written',
    { service: { ...service, act: async (...given) => void service.act(...given).catch(() => {}) } },
    'lost',
  ],
];

test.each(planted)('finds %s', { timeout: 600_000 }, async (_, given, kind) => {
  let found = 0;
  for (const seed of seeds) {
    const checked = await check(await simulate({ seed, events, ...given }));
    found += checked[kind].length;
    if (found > 0) break;
  }
  expect(found).toBeGreaterThan(0);
});

const minute = 60_000;
const closed = { from: Date.parse(startOfTests) + 20 * minute, until: Date.parse(startOfTests) + 60 * minute };
const lateIngest: Sky = { ...clear, ingest: [closed] };
const deadBroker: Sky = { ...clear, broker: [closed] };

/** Canaries whose records show another time of sending, and a handling one minute after it. */
const withCanariesOf = (sentAt: (sentAt: string, world: { now(): string }) => string): Service => ({
  ...service,
  sweep(world, canaries) {
    const find: Store['find'] = async (query) => {
      const found = await world.store.find(query);
      return found.map((each) => {
        if (!('kind' in each.data) || each.data.kind !== 'canary' || !('sentAt' in each.data)) return each;
        const seemsAt = sentAt(each.data.sentAt, world);
        return { ...each, data: { ...each.data, gap: null, sentAt: seemsAt, handledAt: plus(seemsAt, 60_000) } };
      });
    };
    return service.sweep({ ...world, store: { ...world.store, find } }, canaries);
  },
});

/** A sweep that never finds a silent or absent device. */
const sweepWithoutAbsence: Service['sweep'] = (world, canaries) => {
  const find: Store['find'] = async (query) =>
    query.where?.some(({ field }) => field === 'silentAt' || field === 'absentAt') ? [] : world.store.find(query);
  return service.sweep({ ...world, store: { ...world.store, find } }, canaries);
};

/** Any action on a SEC_002 alert resolves it, and the last attempt at its camera is reported again with a new timestamp. */
function remembering(): Service {
  const last = new Map<string, Parameters<Service['take']>[1]>();
  return {
    ...service,
    take(world, message) {
      const { deviceId = '' } = message.attributes;
      if (message.data.includes('unauthorized_broker_attempt')) last.set(deviceId, message);
      return service.take(world, message);
    },
    async act(world, id, command, version) {
      const [alert] = await world.store.get('alerts', [id]);
      const message = last.get(alert?.data.deviceId ?? '');
      if (alert?.data.code !== 'SEC_002' || !message) return service.act(world, id, command, version);
      const done = await service.act(world, id, { kind: 'resolve' }, null);
      const text = message.data.toString().replace(/"timestamp":"[^"]+"/, () => `"timestamp":"${world.now()}"`);
      await service.take(world, { ...message, messageId: `${message.messageId}-again`, data: Buffer.from(text) });
      return done;
    },
  };
}

const plantedInSight: [bug: string, sky: Sky, given: Service, found: RegExp][] = [
  [
    'a horizon that goes by the clock',
    lateIngest,
    withCanariesOf((_, { now }) => now()),
    /^wrong CONN_001 .* had reported/,
  ],
  [
    'a sweep that looks at no absence',
    clear,
    { ...service, sweep: sweepWithoutAbsence },
    /^lost CONN_001 for the (silence|loss)/,
  ],
  ['a horizon that stands still', clear, withCanariesOf(() => startOfTests), /^wrong horizon/],
  [
    'a device called online by a blind platform',
    deadBroker,
    { ...service, look: async (world, id) => ({ ...(await service.look(world, id)), state: 'online' }) },
    /^wrong .* by a blind platform/,
  ],
  [
    'a device called online that is lost',
    clear,
    { ...service, look: async () => ({ state: 'online' }) },
    /^wrong .* called online/,
  ],
  ['an alert raised again by what is old', clear, remembering(), /^wrong SEC_002 .* by nothing new/],
];

test.each(plantedInSight)('finds %s', { timeout: 600_000 }, async (_, sky, service, expected) => {
  const found: string[] = [];
  for (const seed of seeds) {
    const outcome = { ...(await check(await simulate({ seed, events, sky, service }))), seed, kills: 0 };
    found.push(...amissIn(outcome).filter((what) => expected.test(what)));
    if (found.length > 0) break;
  }
  expect(found[0]).toMatch(expected);
});
