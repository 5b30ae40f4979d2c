import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { lookAtOutages } from '../../../shared/app/outages/look.ts';
import type { Delivery, SendOutcome } from '../../../shared/domain/delivery/delivery.ts';
import { msBetween, plus } from '../../../shared/domain/time.ts';
import { createPost } from '../notify/post.ts';
import { success } from '../records/deliveries.ts';
import { message } from '../records/reports.ts';
import { createRandom } from './random.ts';
import { changesOf, created, membersOf, tablesOf } from './record-changes.ts';
import { createWays, intake } from './ways.ts';
import { createTestWorld, type TestWorld } from './world.ts';

type Given = { answer?: (delivery: Delivery) => SendOutcome; leftOut?: readonly string[] };
type Sent = { messageId?: string; publishTime?: string };

/**
 * Writes down everything that a story causes: each record with the members that changed, each wake and each message with its text. A test compares
 * it with a snapshot, so that a review of the snapshot shows every change of what is stored or sent.
 * @param answer the receivers' answer to a message
 * @param leftOut kinds of records, and members of messages, that are not written down
 */
export function createChronicle({ answer = () => success, leftOut = [] }: Given = {}) {
  const world = createDeterministicWorld();
  const { store } = world;
  const lines: string[] = [];
  let before = tablesOf(store.snapshot(), leftOut);
  const woken: string[] = [];
  const { wake } = world.waker;
  world.waker.wake = async (wakes) => {
    const notified = wakes.filter(({ in: kind }) => kind !== 'fleetCounters');
    woken.push(...notified.map(({ in: kind, id, dueAt }) => `wake ${kind} ${id} at ${dueAt}`));
    await wake(wakes);
  };
  const post = createPost(world, answer);
  const ways = createWays(world);
  let said = 0;
  let printed = 0;

  const writeDown = (title: string) => {
    const after = tablesOf(store.snapshot(), leftOut);
    const sent = post.sent
      .slice(printed)
      .map(({ to, channel, delivery }) => [`> ${channel} ${to}`, ...bodyOf(delivery, leftOut)]);
    printed = post.sent.length;
    const notified = [
      ...changesOf(before, after),
      ...woken.splice(0).toSorted(),
      ...sent.map((each) => each.join('\n')),
    ];
    before = after;
    if (notified.length > 0) lines.push(`## ${world.now()} ${title}`, ...notified, '');
  };
  /** What the sweep of the minute does with new losses. */
  const look = async () => {
    const sight = { horizonAt: world.now(), state: 'sees', incidentId: null } as const;
    await lookAtOutages(world, sight, plus(world.now(), 45_000));
  };
  const passes = async (seconds: number, then: () => Promise<void>) => {
    const end = new Date(Date.parse(world.now()) + seconds * 1000).toISOString();
    for (;;) {
      const [first] = world.wakes.map(({ dueAt }) => dueAt).toSorted();
      if (first === undefined || first > end) break;
      await post.pass(Math.max(0, msBetween(world.now(), first)) / 1000);
      await then();
      writeDown('time passes');
    }
    await post.pass(msBetween(world.now(), end) / 1000);
  };
  const chronicle = {
    world,
    ways,
    /** Does something, and writes down what it changes. */
    async step<T>(title: string, act: () => Promise<T>): Promise<T> {
      const result = await act();
      await post.answerDue();
      writeDown(title);
      return result;
    },
    /** A camera sends a message. What it changes is written down with the next step. */
    async hears(deviceId: string, kind: string, body: unknown, given: Sent = {}) {
      said += 1;
      const sent = { deviceId, messageId: `m-${said}`, publishTime: world.now(), ...given };
      await takeMessage(world, message(kind, body, sent), intake);
    },
    /** A camera sends a message. */
    async says(deviceId: string, kind: string, body: unknown, given: Sent = {}) {
      await chronicle.step(`${deviceId} says ${kind}: ${JSON.stringify(body)}`, () =>
        chronicle.hears(deviceId, kind, body, given),
      );
    },
    /** Passes minutes in which these cameras report and the service sweeps. */
    async lives(minutes: number, cameras: readonly string[], bodyOf: (deviceId: string) => object) {
      for (let passed = 0; passed < minutes; passed += 1) {
        await passes(60, async () => {});
        await chronicle.step(`${cameras.length} cameras report`, async () => {
          for (const camera of cameras) await chronicle.hears(camera, 'status', bodyOf(camera));
          await ways.sweep();
        });
      }
    },
    /** Passes time. Everything that becomes due is handled at its time, and written down as `time passes`. */
    passes: (seconds: number) => passes(seconds, look),
    /** Writes down an answer of the service. */
    shows(question: string, answer: unknown) {
      lines.push(`? ${question}`, ...answerLines(answer), '');
    },
    text: () => withStableIds(lines.join('\n')),
  };
  return chronicle;
}

/** A world in which the same story gives the same records. */
function createDeterministicWorld() {
  let world: TestWorld | null = null;
  const store = createMemoryStore(() => Date.parse(world?.now() ?? ''));
  let tokens = 0;
  const created = { ...createTestWorld(store), store };
  world = created;
  created.random = createRandom(1).next;
  created.newToken = () => {
    tokens += 1;
    return `token-${String(tokens).padStart(16, '0')}`;
  };
  return created;
}

/** The text with random ids numbered in the order in which they appear. Ids of version 5 are derived, and stay. */
function withStableIds(text: string): string {
  const numbers = new Map<string, number>();
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
    if (!numbers.has(id)) numbers.set(id, numbers.size + 1);
    return `<id ${numbers.get(id)}>`;
  });
}

/** One line for each member, and for each item of a list. */
function answerLines(answer: unknown): string[] {
  if (typeof answer !== 'object' || answer === null)
    return `${answer}`.split('\n').map((line) => `    | ${line}`.trimEnd());
  return Object.entries(answer).flatMap(([name, value]) => {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.map((item) => `    ${name}: ${JSON.stringify(item)}`);
  });
}

/** The message as its receiver gets it. */
function bodyOf({ channel, body }: Delivery, leftOut: readonly string[]): string[] {
  const parsed: unknown = channel === 'sms' ? body : JSON.parse(body);
  const { text, ...rest } =
    typeof parsed === 'object' && parsed ? (parsed as { text?: string }) : { text: `${parsed}` };
  const words = text === undefined ? [] : text.split('\n').map((line) => `    | ${line}`.trimEnd());
  const members = membersOf('', rest).filter(([path]) => !leftOut.includes(path));
  return [...created(members), ...words];
}
