import { expect, test } from 'vitest';
import type { Bearer } from '../../shared/app/bearer.ts';
import { endEnrolment, enrolGuardian } from '../../shared/app/devices/guardian-key.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import type { Message } from '../../shared/domain/intake/pushed.ts';
import { plus } from '../../shared/domain/time.ts';
import { createSigner, enveloped } from '../support/guardian/signer.ts';
import { message } from '../support/records/reports.ts';
import { guardianAlert } from '../support/records/stories.ts';
import { score } from '../support/score/score.ts';
import { onStore, sizeOnStore, storesOfRun } from '../support/stores/store-of-run.ts';
import { frames } from '../support/world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../support/world/world.ts';

const stores = storesOfRun();
/** On the emulator only every fourth story is run, because each call takes a round trip. */
const step = sizeOnStore(1, 4);
const someOf = <T>(all: T[]): T[] => all.filter((_, index) => index % step === 0);

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const operator: Bearer = { subject: 'operator', groups: null, scopes: new Set() };
const at = (seconds: number) => plus(startOfTests, seconds * 1000);
const drift = (seconds: number) => guardianAlert('drift', ['broker.host'], at(seconds));
const heal = (seconds: number) => guardianAlert('heal', ['broker.host'], at(seconds));
const harmless = (seconds: number) => guardianAlert('drift', ['clientId'], at(seconds));
const health = { status: 'ok', goldenGeneration: 1, lastAlertSeq: 1, intervalSeconds: 30, healthIntervalSeconds: 300 };
const bare = (body: object, seconds: number) => message('guardian', body, { publishTime: at(seconds) });
const statusAt = (seconds: number) => message('status', { name: 'one' }, { publishTime: at(seconds) });

async function enrolled(): Promise<{ world: TestWorld; signer: ReturnType<typeof createSigner> }> {
  const world = createTestWorld(stores.empty());
  const signer = createSigner();
  await takeMessage(world, statusAt(0), intake);
  await enrolGuardian(world, operator, 'cam-1', { publicKey: signer.publicKey });
  return { world, signer };
}

async function outcomeOf(world: TestWorld) {
  const [device = null] = await world.store.get('devices', ['cam-1']);
  const quarantined = await world.store.find({ in: 'quarantine', limit: 100 });
  return {
    open: Object.keys(device?.data.open ?? {}).toSorted(),
    reasons: quarantined.map(({ data }) => data.reason).toSorted(),
    kept: await world.store.count({ in: 'guardianAlerts' }),
    health: device?.data.guardianTrust?.health ?? null,
  };
}

type Signer = ReturnType<typeof createSigner>;
/** Messages forged by an attacker. All but one arrive an hour after the guardian's first envelope, which opened CFG_001. */
function forgeries(signer: Signer): Record<string, Message> {
  const later = 3600;
  const given = { seconds: later };
  const good = signer.envelope(2, heal(later));
  const stranger = createSigner();
  const flipped = (text: string, index: number) =>
    text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1);
  const altered = (change: object) => enveloped({ ...good, ...change }, given);
  return {
    'bare heal': bare(heal(later), later),
    'bare drift': bare(drift(later), later),
    'bare conflict': bare(guardianAlert('conflict', ['broker.host'], at(later)), later),
    'bare heal, made long ago': bare(heal(1), later),
    'bare heal, a second past the settling time': bare(heal(602), 602),
    'signed by a stranger': stranger.message(2, heal(later), given),
    'signed by a stranger, next epoch': stranger.message(1, heal(later), { ...given, epoch: 'e2' }),
    'signed by a stranger, a number that was seen': stranger.message(1, drift(0), given),
    'health by a stranger': stranger.message(1, health, { ...given, member: 'health' }),
    'health by a stranger, number far ahead': stranger.message(Number.MAX_SAFE_INTEGER, health, {
      ...given,
      member: 'health',
    }),
    'signed for another device': enveloped(signer.envelope(2, heal(later), { deviceId: 'cam-2' }), given),
    'a signed health as an alert': enveloped(
      { ...signer.envelope(2, heal(later), { member: 'health' }), alert: JSON.stringify(heal(later)) },
      given,
    ),
    'epoch changed': altered({ epoch: 'e2' }),
    'number changed': altered({ seq: 3 }),
    'text changed to a drift': altered({ alert: JSON.stringify(drift(later)) }),
    'text with a space more': altered({ alert: `${good['alert' as never]} ` }),
    'signature empty': altered({ signature: '' }),
    'signature of zeros': altered({ signature: Buffer.alloc(64).toString('base64') }),
    'signature cut': altered({ signature: good.signature.slice(0, -4) }),
    'signature longer': altered({ signature: `${good.signature}AAAA` }),
    'signature in base64url': altered({
      signature: `${good.signature.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`,
    }),
    'signature is words': altered({ signature: 'trust me' }),
    ...Object.fromEntries(
      [0, 10, 42, 60, 84].map((index) => [
        `signature with letter ${index} changed`,
        altered({ signature: flipped(good.signature, index) }),
      ]),
    ),
  };
}

test('every forged message is quarantined, raises SEC_002 and changes nothing else', async () => {
  const { signer: sample } = await enrolled();
  const names = someOf(Object.keys(forgeries(sample)));
  let through = 0;
  for (const name of names) {
    const { world, signer } = await enrolled();
    await takeMessage(world, signer.message(1, harmless(0)), intake);
    const forged = forgeries(signer)[name];
    if (!forged) throw new Error(name);
    await takeMessage(world, forged, intake);
    await takeMessage(world, forged, intake);
    const { open, reasons, kept, health: heard } = await outcomeOf(world);
    const isHeld =
      open.join() === 'CFG_001,SEC_002' && reasons.join() === 'guardian-forged' && kept === 1 && heard === null;
    if (!isHeld) through += 1;
    expect
      .soft([name, open, reasons, kept, heard])
      .toEqual([name, ['CFG_001', 'SEC_002'], ['guardian-forged'], 1, null]);
  }
  score('S14', `messages forged under the name of a guardian${onStore}`, names.length, through);
  expect(through).toBe(0);
});

test.each([
  ['a bare heal while the guardian begins to sign', (seconds: number) => bare(heal(seconds), seconds)],
  [
    'an event that tells of a restored configuration',
    (seconds: number) =>
      message('event', { type: 'configuration_restored', timestamp: at(seconds) }, { publishTime: at(seconds) }),
  ],
])('a drift that the guardian signed is not closed by %s, but by a heal that it signs', async (_, forged) => {
  const { world, signer } = await enrolled();
  await takeMessage(world, signer.message(1, drift(0)), intake);
  await takeMessage(world, forged(60), intake);
  const { open } = await outcomeOf(world);
  expect(open).toContain('CFG_001');
  await takeMessage(world, signer.message(2, heal(120), { seconds: 120 }), intake);
  expect((await outcomeOf(world)).open).not.toContain('CFG_001');
  score('S14', `unsigned ends of a signed drift${onStore}`, 1, open.includes('CFG_001') ? 0 : 1);
});

test('a key that was replaced is good for nothing once the new one was used', async () => {
  const { world, signer } = await enrolled();
  await takeMessage(world, signer.message(1, drift(0)), intake);
  const next = createSigner();
  await enrolGuardian(world, operator, 'cam-1', { publicKey: next.publicKey });
  await takeMessage(world, next.message(1, harmless(100), { seconds: 100, epoch: 'e2' }), intake);
  await takeMessage(world, signer.message(2, heal(101), { seconds: 101 }), intake);
  const { open, reasons } = await outcomeOf(world);
  expect([open.toSorted(), reasons]).toEqual([['CFG_001', 'SEC_002'], ['guardian-forged']]);
  score('S14', `messages with a replaced key${onStore}`, 1, open.includes('CFG_001') ? 0 : 1);
});

test.each(['bridge', 'guardian-cam-1', 'watchpost-probe', 'watchpost-canary', 'watchpost'])(
  'no camera has the name of the account %s',
  async (deviceId) => {
    const world = createTestWorld(stores.empty());
    await takeMessage(world, message('status', { name: 'one' }, { deviceId }), intake);
    const [device = null] = await world.store.get('devices', [deviceId]);
    expect([device, (await outcomeOf(world)).reasons]).toEqual([null, ['unreadable']]);
    score('S14', `cameras named after other accounts${onStore}`, 1, device ? 1 : 0);
  },
);

type Story = (world: TestWorld, signer: Signer) => Promise<void>;
/** What brokers, bridges and networks do to genuine messages. Every story sends a drift without its heal, so CFG_001 stays open. */
const honest: Record<string, Story> = {
  'redelivered by Pub/Sub': async (world, signer) => {
    const first = signer.message(1, harmless(0));
    for (const _ of [1, 2, 3]) await takeMessage(world, first, intake);
  },
  'sent again by the guardian': async (world, signer) => {
    for (const seconds of [0, 30, 3600, 90_000])
      await takeMessage(world, signer.message(1, harmless(0), { seconds }), intake);
  },
  'late behind its successors': async (world, signer) => {
    for (const seq of [5, 4, 3, 2, 1])
      await takeMessage(world, signer.message(seq, harmless(seq), { seconds: seq }), intake);
  },
  'a day late': async (world, signer) => {
    await takeMessage(world, signer.message(2, harmless(2), { seconds: 2 }), intake);
    await takeMessage(world, signer.message(1, harmless(1), { seconds: 86_400 }), intake);
  },
  'of the journal before this one, late': async (world, signer) => {
    await takeMessage(world, signer.message(1, harmless(10), { seconds: 10, epoch: 'e2' }), intake);
    await takeMessage(world, signer.message(9, harmless(1), { seconds: 20, epoch: 'e1' }), intake);
  },
  'bare, published while the guardian began to sign': async (world, signer) => {
    await takeMessage(world, signer.message(1, harmless(1), { seconds: 1 }), intake);
    await takeMessage(world, bare(harmless(2), 590), intake);
  },
  'bare, published before and delivered long after': async (world, signer) => {
    await takeMessage(world, signer.message(1, harmless(100), { seconds: 100 }), intake);
    await takeMessage(world, bare(harmless(2), 2), intake);
  },
  'bare, taken before and sent again': async (world, signer) => {
    await takeMessage(world, bare(harmless(0), 0), intake);
    await takeMessage(world, signer.message(1, harmless(1), { seconds: 1 }), intake);
    await takeMessage(world, bare(harmless(0), 7200), intake);
  },
  'signed with the old key, within its day': async (world, signer) => {
    await takeMessage(world, signer.message(1, harmless(0)), intake);
    await enrolGuardian(world, operator, 'cam-1', { publicKey: createSigner().publicKey });
    await takeMessage(world, signer.message(2, harmless(3600), { seconds: 3600 }), intake);
  },
  'signed with the old key, on its way when the new one was used': async (world, signer) => {
    const next = createSigner();
    await enrolGuardian(world, operator, 'cam-1', { publicKey: next.publicKey });
    await takeMessage(world, next.message(1, harmless(100), { seconds: 100, epoch: 'e2' }), intake);
    await takeMessage(world, signer.message(7, harmless(50), { seconds: 50 }), intake);
  },
  'signed with the old key and seen, sent again after the new one': async (world, signer) => {
    await takeMessage(world, signer.message(1, harmless(0)), intake);
    const next = createSigner();
    await enrolGuardian(world, operator, 'cam-1', { publicKey: next.publicKey });
    await takeMessage(world, next.message(2, harmless(100), { seconds: 100 }), intake);
    await takeMessage(world, signer.message(1, harmless(0), { seconds: 90_000 }), intake);
  },
  'bare again after the enrolment ended': async (world, signer) => {
    await takeMessage(world, signer.message(1, harmless(0)), intake);
    await endEnrolment(world, operator, 'cam-1');
    await takeMessage(world, bare(harmless(7200), 7200), intake);
  },
  'health twice and out of order': async (world, signer) => {
    await takeMessage(world, signer.message(1, harmless(0)), intake);
    for (const seq of [3, 1, 2, 3])
      await takeMessage(world, signer.message(seq, health, { member: 'health', seconds: seq }), intake);
  },
  'forty numbers in any order': async (world, signer) => {
    for (const step of Array.from({ length: 40 }, (_unused, index) => ((index * 17) % 40) + 1))
      await takeMessage(world, signer.message(step, harmless(step), { seconds: step }), intake);
  },
};

test('no redelivered, repeated or late message is treated as forged', async () => {
  let through = 0;
  const notified = someOf(Object.entries(honest));
  for (const [name, story] of notified) {
    const { world, signer } = await enrolled();
    await story(world, signer);
    const { open, reasons } = await outcomeOf(world);
    if (open.join() !== 'CFG_001' || reasons.length > 0) through += 1;
    expect.soft([name, open, reasons]).toEqual([name, ['CFG_001'], []]);
  }
  score('S14', `honest messages of guardians, late, repeated or overtaken${onStore}`, notified.length, through);
  expect(through).toBe(0);
});

/** Messages that the guardian signed and that an attacker who recorded them sends again. */
const replays: Record<string, Story> = {
  'a heal of an earlier drift': async (world, signer) => {
    const old = signer.message(2, heal(1), { seconds: 1 });
    await takeMessage(world, signer.message(1, drift(0)), intake);
    await takeMessage(world, old, intake);
    await takeMessage(world, signer.message(3, drift(3600), { seconds: 3600 }), intake);
    await takeMessage(world, signer.message(2, heal(1), { seconds: 3601 }), intake);
  },
  'a heal of an earlier drift, after more alerts than are remembered': async (world, signer) => {
    await takeMessage(world, signer.message(1, heal(1), { seconds: 1 }), intake);
    for (let seq = 2; seq < 40; seq += 1)
      await takeMessage(world, signer.message(seq, drift(seq * 10), { seconds: seq * 10 }), intake);
    await takeMessage(world, signer.message(1, heal(1), { seconds: 3601 }), intake);
  },
  'a heal of a journal that is forgotten': async (world, signer) => {
    await takeMessage(world, signer.message(1, heal(1), { seconds: 1, epoch: 'old' }), intake);
    for (const index of [1, 2, 3, 4, 5])
      await takeMessage(
        world,
        signer.message(1, drift(index * 100), { seconds: index * 100, epoch: `e${index}` }),
        intake,
      );
    await takeMessage(world, signer.message(1, heal(1), { seconds: 3601, epoch: 'old' }), intake);
  },
  'a heal after the guardian was enrolled anew': async (world, signer) => {
    await takeMessage(world, signer.message(1, heal(1), { seconds: 1 }), intake);
    await takeMessage(world, signer.message(2, drift(2), { seconds: 2 }), intake);
    await endEnrolment(world, operator, 'cam-1');
    await enrolGuardian(world, operator, 'cam-1', { publicKey: signer.publicKey });
    await takeMessage(world, signer.message(1, heal(1), { seconds: 3601 }), intake);
  },
};

test('a replayed heal resolves no alert', async () => {
  let through = 0;
  const notified = someOf(Object.entries(replays));
  for (const [name, story] of notified) {
    const { world, signer } = await enrolled();
    await story(world, signer);
    const { open } = await outcomeOf(world);
    if (!open.includes('CFG_001')) through += 1;
    expect.soft([name, open.includes('CFG_001')]).toEqual([name, true]);
  }
  score('S14', `signed messages sent again by somebody else${onStore}`, notified.length, through);
  expect(through).toBe(0);
});

test('a replayed health of a forgotten journal does not replace the newest health, and a new journal is accepted', async () => {
  const { world, signer } = await enrolled();
  const send = (seq: number, seconds: number, epoch: string, said: object = health) =>
    takeMessage(world, signer.message(seq, said, { member: 'health', seconds, epoch }), intake);
  await send(1000, 1, 'old');
  for (const index of [1, 2, 3, 4]) await send(1000 + index * 100, index * 100, `e${index}`);
  await send(1500, 500, 'e5', { ...health, status: 'blind' });
  expect((await outcomeOf(world)).health).toMatchObject({ status: 'blind' });
  for (const seconds of [501, 502]) await send(1000, seconds, 'old');
  const notified = await outcomeOf(world);
  expect(notified.health).toMatchObject({ status: 'blind', epoch: 'e5' });
  expect(notified.reasons).toEqual([]);
  await send(1600, 600, 'e6');
  expect((await outcomeOf(world)).health).toMatchObject({ status: 'ok', epoch: 'e6' });
  score('S14', `healths of forgotten journals sent again${onStore}`, 2, 0);
});

test('a message of a guardian without a registered key is quarantined for a retry and opens no alert', async () => {
  const world = createTestWorld(stores.empty());
  const signer = createSigner();
  await takeMessage(world, statusAt(0), intake);
  await takeMessage(world, signer.message(1, harmless(0)), intake);
  expect(await outcomeOf(world)).toMatchObject({ open: [], reasons: ['guardian-unenrolled'], kept: 0 });
});

test('an alert that a guardian counts as sent is shown as missing after 10 minutes, until it arrives', async () => {
  const { world, signer } = await enrolled();
  const send = (seq: number, seconds: number) =>
    takeMessage(world, signer.message(seq, { ...health, lastAlertSeq: 2 }, { member: 'health', seconds }), intake);
  await takeMessage(world, signer.message(2, harmless(0)), intake);
  await send(1, 10);
  expect((await outcomeOf(world)).health).toMatchObject({ alertsMissing: 0 });
  await send(2, 310);
  expect((await outcomeOf(world)).health).toMatchObject({ alertsMissing: 0 });
  await send(3, 610);
  expect((await outcomeOf(world)).health).toMatchObject({ alertsMissing: 1 });
  await takeMessage(world, signer.message(1, harmless(0), { seconds: 700 }), intake);
  await send(4, 910);
  expect((await outcomeOf(world)).health).toMatchObject({ alertsMissing: 0, missingSince: null });
});
