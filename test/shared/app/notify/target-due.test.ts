import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import { decided, nothingRead } from '../../../../shared/app/change/written.ts';
import { decideAndCommit } from '../../../../shared/app/commit/commit.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { decideOneAlert } from '../../../../shared/domain/change/decide.ts';
import type { SendOutcome } from '../../../../shared/domain/delivery/delivery.ts';
import { createPost, mostWithin } from '../../../support/notify/post.ts';
import {
  alertOf,
  ana,
  giveTeam,
  messagesOf,
  openedAlert,
  openTestAlert,
  uuidOf,
} from '../../../support/records/alerts.ts';
import { failure, success } from '../../../support/records/deliveries.ts';
import { unlessQuick } from '../../../support/score/score.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const contacts = {
  emails: ['ops@example.com', 'night@example.com'],
  chats: [{ kind: 'slack' as const, url: 'https://hooks.slack.com/services/T/B/x' }],
  phones: ['+46701234567'],
};

async function worldOf(given: Parameters<typeof giveTeam>[2] = { emails: ['ops@example.com'] }): Promise<TestWorld> {
  const world = createTestWorld(createMemoryStore());
  await giveTeam(world, 'operations', given);
  return world;
}

/** Ends an alert as a report of its device does. */
async function end(world: TestWorld, alertId: string, resolution: 'automatic' | 'moved' = 'automatic'): Promise<void> {
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('alerts', [alertId]);
    const read = { ...nothingRead, alerts: new Map([[alertId, stored]]) };
    const outcome = await decided(world, read, world.now(), (known, given) =>
      stored
        ? decideOneAlert(stored.data, { kind: 'end', resolution, why: 'over' }, 'device', known, given)
        : { kind: 'unchanged' as const },
    );
    return outcome.kind === 'change' ? { ...outcome, answer: undefined } : { writes: [], wakes: [], answer: undefined };
  });
}

const digests = (sent: { text: string }[]) =>
  sent.filter(({ text }) => text.includes('Digest')).map(({ text }) => text.split('\n')[0]);

const total = unlessQuick(200, 1000);

test.each([
  ['committed before the first message leaves', 0],
  ['coming in over seconds', 20],
])(
  `${total} cameras of ${total / 5} groups, %s: each target gets four messages in the minute, and they are about all`,
  {
    timeout: 600_000,
  },
  async (_name, each) => {
    const world = await worldOf(contacts);
    const post = createPost(world);
    for (let index = 0; index < total; index += 1) {
      if (each > 0 && index % each === each - 1) await post.pass(0.5);
      await openTestAlert(world, { groupId: `g-${index % (total / 5)}` });
    }
    await post.pass(70);
    expect(mostWithin(post.sent, 60)).toBeLessThanOrEqual(4);
    const byTarget = Map.groupBy(post.sent, ({ to }) => to);
    expect(byTarget.size).toBe(4);
    for (const messages of byTarget.values()) {
      const notified = messages.map(({ text }) => Number(/(\d+) alerts opened/.exec(text)?.[1] ?? 1));
      expect(notified.reduce((sum, count) => sum + count, 0)).toBe(total);
    }
    const writes = await world.store.find({ in: 'targets', limit: 10 });
    // Messages that leave and closings of the window are counted, alerts are not.
    for (const { data } of writes) expect(data.version).toBeLessThanOrEqual(7);
  },
);

test('three messages leave at once, and the digest says what the others are', async () => {
  const world = await worldOf({ phones: ['+46701234567'] });
  const post = createPost(world);
  for (let index = 0; index < 5; index += 1) await openTestAlert(world, { deviceId: `cam-${index}` });
  await openTestAlert(world, { deviceId: 'cam-9', code: 'CFG_001' });
  await post.pass(61);
  expect(post.sent.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^CRIT north \/ cam-0 offline since 10:00\./),
    expect.stringMatching(/^CRIT north \/ cam-1 offline/),
    expect.stringMatching(/^CRIT north \/ cam-2 offline/),
    expect.stringMatching(/^CRIT 3 alerts opened\. 3 opened: offline 2, configuration changed 1; north 3\. console/),
  ]);
});

test('an alert that is over before its message could leave is not announced; the next digest counts it', async () => {
  const world = await worldOf();
  const post = createPost(world);
  const ids: string[] = [];
  for (let index = 0; index < 6; index += 1) ids.push(await openTestAlert(world));
  await post.pass(10);
  for (const id of ids.slice(3)) await end(world, id);
  await post.pass(120);
  // Three alerts came and went: no digest is sent for them alone, the next one counts them.
  expect(post.sent).toHaveLength(3);
  for (let index = 0; index < 4; index += 1) await openTestAlert(world);
  await post.pass(61);
  const [digest = ''] = post.sent.map(({ text }) => text).filter((text) => text.includes('Digest'));
  expect(digest).toContain('1 alert opened');
  expect(digest).toContain('3 more came and went.');
});

test('whoever was notified that it began hears that somebody has it, a minute later, and that it is over', async () => {
  const world = await worldOf({ emails: ['ops@example.com'], phones: ['+46701234567'] });
  const post = createPost(world);
  const id = await openTestAlert(world);
  await post.pass(5);
  await actOnAlert(world, ana, id, { kind: 'acknowledge' }, null);
  await post.pass(59);
  expect(post.sent).toHaveLength(2);
  await post.pass(10);
  expect(post.sent.slice(2).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^\[CRITICAL\] north \/ \S+: ana has it, offline since 10:00/),
  ]);
  await end(world, id);
  await post.pass(1);
  expect(post.sent.slice(3).map(({ channel, text }) => [channel, /: over, offline from 10:00/.test(text)])).toEqual([
    ['email', true],
    ['sms', true],
  ]);
});

test('an acknowledgement that is taken back is announced to nobody', async () => {
  const world = await worldOf();
  const post = createPost(world);
  const id = await openTestAlert(world);
  await post.pass(5);
  await actOnAlert(world, ana, id, { kind: 'acknowledge' }, null);
  await post.pass(30);
  await actOnAlert(world, ana, id, { kind: 'unacknowledge' }, null);
  await post.pass(120);
  expect(post.sent).toHaveLength(1);
});

test('a message that waits while its channel fails says what is true when it leaves, or does not leave', async () => {
  const world = await worldOf();
  let answer: SendOutcome = failure;
  const post = createPost(world, () => answer);
  const [kept, gone] = [
    await openTestAlert(world, { deviceId: 'kept' }),
    await openTestAlert(world, { deviceId: 'gone' }),
  ];
  await post.pass(5);
  await actOnAlert(world, ana, kept, { kind: 'acknowledge' }, null);
  await post.pass(20);
  answer = success;
  await end(world, gone);
  await post.pass(100);
  const opening = (await messagesOf(world)).find(
    ({ alertId, message }) => alertId === gone && message?.occasion === 'opened',
  );
  expect(opening).toMatchObject({ status: 'dismissed', dismissedReason: 'overtaken' });
  const [digest] = post.sent.filter(({ delivery }) => delivery.eventType === 'digest');
  expect(digest?.text).toContain('[CRITICAL] north / kept offline since 10:00');
  expect(digest?.text).toContain('ana has it since 10:00.');
  expect(digest?.text).not.toContain('gone');
});

test('what leaves late says who has it by then', async () => {
  const world = await worldOf();
  let answer: SendOutcome = failure;
  const post = createPost(world, () => answer);
  const id = await openTestAlert(world);
  await post.pass(5);
  await actOnAlert(world, ana, id, { kind: 'acknowledge' }, null);
  answer = success;
  await post.pass(40);
  expect(post.sent.map(({ text }) => text.split('\n')[3])).toEqual(['ana has it since 10:00.']);
});

test('a phone gets 12 messages an hour that are not urgent, then one that says how many are held, and the digest when the hour is over', async () => {
  const world = await worldOf({ phones: ['+46701234567'] });
  const post = createPost(world);
  for (let index = 0; index < 40; index += 1) {
    await openTestAlert(world);
    await post.pass(60);
  }
  // The notice is repeated when five times as much is held.
  const notices = post.sent.filter(({ text }) => text.startsWith('SMS LIMIT'));
  expect(post.sent).toHaveLength(12 + notices.length);
  expect(notices.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^SMS LIMIT: 12 sent since 10:00, next at 11:00\. Held: .* console/),
    expect.stringMatching(/^SMS LIMIT: 13 sent since 10:00, next at 11:00\. Held: .* console/),
  ]);
  await post.pass(1800);
  expect(post.sent[14]?.text).toMatch(/^CRIT /);
  expect(mostWithin(post.sent, 3600)).toBeLessThanOrEqual(14);
});

test('what nobody answers is said again in one message each half hour, whenever it began', async () => {
  const world = await worldOf();
  const post = createPost(world);
  for (let index = 0; index < 7; index += 1) {
    await openTestAlert(world, { deviceId: `cam-${index}` });
    await post.pass(7 * 60);
  }
  post.sent.length = 0;
  await post.pass(3 * 3600);
  // The last alert began too late for the first common reminder, and joins the others from its second reminder on.
  expect(post.sent.map(({ at, text }) => `${at.slice(11, 16)} ${/^[^,.\n]*/.exec(text)}`)).toEqual([
    '11:01 [CRITICAL] Digest: 6 alerts still without an answer',
    '11:16 [CRITICAL] north / cam-6: reminder 1 of 9 to operations',
    ...['11:31', '12:01', '12:31', '13:01', '13:31'].map(
      (at) => `${at} [CRITICAL] Digest: 7 alerts still without an answer`,
    ),
  ]);
});

test('a digest of one thing says it as itself, with the link by which somebody takes it', async () => {
  const world = await worldOf({ phones: ['+46701234567'] });
  const post = createPost(world);
  await openTestAlert(world, { deviceId: 'cam-1' });
  await post.pass(600);
  post.sent.length = 0;
  await post.pass(1800);
  expect(post.sent.map(({ at, text }) => [at.slice(11, 16), text])).toEqual([
    [
      '10:31',
      expect.stringMatching(
        /^CRIT north \/ cam-1: reminder 1 of 9 to operations, offline since 10:00\..* console\.example\.com\/t\/[\w-]{22}$/,
      ),
    ],
  ]);
});

test('security has a slot of its own, once for each device and hour', async () => {
  const world = await worldOf({ phones: ['+46701234567'] });
  const post = createPost(world);
  for (let index = 0; index < 5; index += 1) await openTestAlert(world);
  await post.pass(1);
  await openTestAlert(world, { deviceId: 'cam-s', code: 'SEC_001' });
  await openTestAlert(world, { deviceId: 'cam-s', code: 'SEC_002' });
  await post.pass(1);
  expect(post.sent.map(({ text }) => text.includes('cam-s'))).toEqual([false, false, false, true]);
  await post.pass(60);
  expect(mostWithin(post.sent, 61)).toBe(5);
  expect(post.sent.at(-1)?.text).toContain('foreign broker attempt 1');
});

test('an alert that was committed behind the count of its window is announced with the next digest', async () => {
  const world = await worldOf();
  const post = createPost(world);
  for (let index = 0; index < 5; index += 1) await openTestAlert(world);
  await post.pass(30);
  const seed = {
    alertId: uuidOf(777),
    deviceId: 'late',
    groupId: 'north',
    code: 'CONN_001',
    message: 'x',
    context: {},
  } as const;
  const late = await openedAlert(world, seed);
  await post.pass(31);
  await world.store.commit(late.writes);
  await post.pass(61);
  expect(digests(post.sent)).toEqual(['[CRITICAL] Digest: 2 alerts opened', 'Digest: 1 more from the minute before']);
});

test('a digest does not call over what is open no more because its camera was moved', async () => {
  const world = await worldOf();
  const post = createPost(world);
  const opened = [];
  for (let index = 0; index < 9; index += 1) {
    opened.push(await openTestAlert(world, { deviceId: `cam-${index}` }));
    await post.pass(61);
  }
  post.sent.length = 0;
  for (const [index, alertId] of opened.entries()) await end(world, alertId, index < 5 ? 'automatic' : 'moved');
  await post.pass(120);
  expect(digests(post.sent)).toEqual(['Digest: 3 alerts over; 4 alerts of moved cameras']);
});

test('a digest whose wakes were lost leaves with the sweep', async () => {
  const world = await worldOf();
  const post = createPost(world);
  for (let index = 0; index < 5; index += 1) await openTestAlert(world);
  await post.pass(1);
  world.wakes.splice(0);
  world.pass(125);
  await sweep(world);
  await post.pass(1);
  expect(digests(post.sent)).toEqual(['[CRITICAL] Digest: 2 alerts opened']);
});

test('a record of a target rests when there is nothing left to tell', async () => {
  const world = await worldOf();
  const post = createPost(world);
  const id = await openTestAlert(world);
  await post.pass(290);
  const [target] = await world.store.find({ in: 'targets', limit: 1 });
  expect(target?.data.dueAt).toBeNull();
  expect((await alertOf(world, id)).status).toBe('active');
});
