import { expect, test } from 'vitest';
import { createDispatcher } from '../../../../shared/app/deliveries/deliver.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { isDueKind } from '../../../../shared/app/due/table.ts';
import type { Sender, Wake, World } from '../../../../shared/app/ports.ts';
import type { SendOutcome } from '../../../../shared/domain/delivery/delivery.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { giveTeam, openTestAlert } from '../../../support/records/alerts.ts';
import { failure, success } from '../../../support/records/deliveries.ts';
import { never } from '../../../support/simulation/instances.ts';
import { worldThrough } from '../../../support/simulation/interruptions.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const [refusedPhone, phone] = ['+46700000001', '+46700000002'];
/** No try follows, so that each message ends with its first attempt. */
const silent: SendOutcome = { ...failure, statusCode: null, errorClass: 'connection_refused', isRetryable: false };
const refused: SendOutcome = { ...failure, statusCode: 400, isRetryable: false, detail: 'The gateway answered 400.' };

/** Where the process is stopped: at one call, before or after its effect. Null: nowhere. */
type Stop = { at: number; when: 'before' | 'after' } | null;
type Life = { clock: TestWorld; stop: Stop; calls: number; stopped: number; generation: number };

/**
 * A channel refuses one person, then fails for everybody, then works again. Each wake of a delivery or of a notice is handled by a process of its own
 * that may be stopped, and is then repeated, as Cloud Tasks does.
 */
async function live(stop: Stop): Promise<{ state: string[]; calls: number; stopped: number }> {
  const life: Life = { clock: createTestWorld(), stop, calls: 0, stopped: 0, generation: 0 };
  const { clock } = life;
  await giveTeam(clock, 'operations', {
    emails: ['ops@example.com'],
    phones: [refusedPhone, phone],
    people: [{ personId: 'anna', name: 'Anna', email: 'anna@example.com', phone: refusedPhone }],
  });
  const works = (to: string): SendOutcome => (to.includes(refusedPhone) ? refused : success);
  let answer = works;
  const alarm = async (deviceId: string) => {
    await openTestAlert(clock, { code: 'SEC_001', deviceId });
    for (let minute = 0; minute < 3; minute += 1) await passMinute(life, (to) => answer(to));
  };
  await alarm('cam-1');
  answer = (to) => (to.includes('@') ? success : silent);
  await alarm('cam-2');
  await alarm('cam-3');
  answer = works;
  await alarm('cam-4');
  for (let minute = 0; minute < 3; minute += 1) await passMinute(life, (to) => answer(to));
  return { state: await stateOf(clock), calls: life.calls, stopped: life.stopped };
}

async function passMinute(life: Life, answer: (to: string) => SendOutcome): Promise<void> {
  const { clock } = life;
  for (let second = 0; second < 60; second += 15) {
    clock.pass(15);
    for (;;) {
      const due = clock.wakes.findIndex(({ dueAt }) => dueAt <= clock.now());
      const [wake] = due < 0 ? [] : clock.wakes.splice(due, 1);
      if (!wake) break;
      await untilDone(life, wake, answer);
    }
  }
  for (const wake of await overdue(clock)) await untilDone(life, wake, answer);
}

/** What the sweep finds: records whose wake was lost. */
async function overdue({ store, now }: TestWorld): Promise<Wake[]> {
  const query = {
    where: [{ field: 'dueAt', is: '<=', value: plus(now(), -60_000) } as const],
    orderBy: [['dueAt', 'asc'] as const] as [['dueAt', 'asc']],
    limit: 100,
  };
  const notices = await store.find({ in: 'notices', ...query });
  const deliveries = await store.find({ in: 'deliveries', ...query });
  const first = { version: 1, dueAt: now() };
  return [
    ...notices.map(({ id }): Wake => ({ in: 'notices', id, ...first })),
    ...deliveries.map(({ id }): Wake => ({ in: 'deliveries', id, target: id, webhookId: null, ...first })),
  ];
}

async function untilDone(life: Life, wake: Wake, answer: (to: string) => SendOutcome): Promise<void> {
  const isStoppable = wake.in === 'deliveries' || wake.in === 'notices';
  if (!isStoppable) {
    if (isDueKind(wake.in)) await handleDue(life.clock, wake.in, wake.id);
    return;
  }
  for (let tries = 0; tries < 3; tries += 1) {
    const stopped = Promise.withResolvers<'stopped'>();
    const world = mortal(life, wake.in === 'notices', () => stopped.resolve('stopped'));
    const end = await Promise.race([handled(life, world, wake, answer), stopped.promise]);
    if (end !== 'stopped') return;
  }
}

/**
 * The world of a process that dies at the call that is asked for. It is one of those that follow an attempt: from the commit of the attempt on, or any
 * of a notice. Until then the result is in doubt by nature. A stop at a read is the same as one before what it is for.
 */
function mortal(life: Life, isNotice: boolean, die: () => void): World & { through: Through } {
  const { clock, stop } = life;
  const born = life.generation;
  const kill = () => {
    life.generation += 1;
    life.stopped += 1;
    die();
    return never();
  };
  let phase: 'early' | 'sent' | 'recorded' = isNotice ? 'recorded' : 'early';
  const through: Through = async (name, act) => {
    if (born !== life.generation) return never();
    if (name === 'send') phase = 'sent';
    const isRecord = phase === 'sent' && name === 'commit';
    const hasEffect = name === 'commit' || name === 'wake';
    if (!hasEffect || (phase !== 'recorded' && !isRecord)) return act();
    life.calls += 1;
    const isHit = life.calls === stop?.at;
    if (isHit && stop.when === 'before' && !isRecord) return kill();
    const result = await act();
    phase = 'recorded';
    return isHit && stop.when === 'after' ? kill() : result;
  };
  return { ...worldThrough(clock, clock.store, through), through };
}
type Through = <T>(name: string, act: () => Promise<T>) => Promise<T>;

async function handled(
  { clock }: Life,
  world: World & { through: Through },
  wake: Wake,
  answer: (to: string) => SendOutcome,
): Promise<void> {
  const sender: Sender = { send: ({ targetName }) => world.through('send', async () => answer(targetName)) };
  if (wake.in === 'notices') await handleDue(world, 'notices', wake.id);
  else await createDispatcher(world, { sms: sender, email: sender }, () => Date.parse(clock.now())).attempt(wake.id);
}

/** What must not depend on where a process is stopped, each line once, because a wake that was lost may bring more reminders: whom the service told that messages do not arrive, and what it counted. */
async function stateOf({ store }: TestWorld): Promise<string[]> {
  const deliveries = (await store.find({ in: 'deliveries', limit: 1000 })).map(({ data }) => data);
  const health = await store.find({ in: 'channelHealth', limit: 9 });
  const notices = await store.find({ in: 'notices', limit: 100 });
  const ofPhone = deliveries.filter(({ targetName }) => targetName.includes(phone));
  const lines = [
    ...notices.map(({ data }) => `${data.kind} ${data.dueAt === null ? 'sent' : 'due'}`),
    ...deliveries
      .filter(({ eventType, targetName }) => eventType === 'notice' || targetName.includes('anna'))
      .map(({ eventType, targetName, status }) => `${eventType} ${targetName} ${status}`),
    ...health.map(({ data }) => `${data.channel} ${data.failedInRow} ${data.toldAt !== null} ${data.receivers.length}`),
    `uncounted ${deliveries.filter(({ end }) => end).length}`,
    `left unsent on the phone ${ofPhone.filter(({ status }) => status === 'failed').length}`,
  ];
  return [...new Set(lines)].toSorted();
}

test('a process that is stopped before or after any call between an attempt and what follows from it loses nothing', {
  timeout: 120_000,
}, async () => {
  const clean = await live(null);
  expect(clean.state.filter((line) => / sent$/.test(line))).toEqual([
    'channel-failing sent',
    'channel-recovered sent',
    'receiver-failing sent',
  ]);
  const amiss: unknown[] = [];
  let stopped = 0;
  for (let at = 1; at <= clean.calls; at += 1) {
    for (const when of ['before', 'after'] as const) {
      const { state, stopped: died } = await live({ at, when });
      stopped += died;
      const lost = clean.state.filter((line) => !state.includes(line));
      const wrong = state.filter((line) => !clean.state.includes(line));
      if (lost.length + wrong.length > 0) amiss.push({ at, when, lost, wrong });
    }
  }
  expect(stopped).toBeGreaterThan(clean.calls);
  expect(amiss.slice(0, 5)).toEqual([]);
});
