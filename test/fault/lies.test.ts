import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { createFirestoreStore } from '../../shared/adapters/firestore/store.ts';
import { detection } from '../support/records/detections.ts';
import { image, lies } from '../support/records/lies.ts';
import { allRecords } from '../support/records/records.ts';
import { score, sizeOf } from '../support/score/score.ts';
import { receiverOf } from '../support/stack/receiver.ts';
import { callerOf, connectAs, connectDevice, until } from '../support/stack/stack.ts';
import { connectEmulator } from '../support/stores/emulator-client.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

/** Every `step`-th lie is sent: in the gate only a part of them. */
const step = sizeOf(61, 1);
/** Lies between two good messages of each camera. */
const batch = sizeOf(20, 30);
/** The time limit of a good message: it may wait only for the lies of its own camera before it. */
const heldUpAfterSeconds = 60;
/** Kinds of records that change by themselves or with other events of a group. */
const pulseKinds = [
  'now',
  'platform',
  'trends',
  'trendCounters',
  'fleetCounters',
  'fleetSummaries',
  'targets',
  'links',
];
/** Members of a device record that every report changes. */
const pulse = 'sightings lastSeenAt aliveAt silentAt darkAt dueAt absentAt horizonAt decidedAt newest version'.split(
  ' ',
);

/** A mail in the inbox. */
type Sent = { subject: string; text: string; html: string };

/** S13 on running processes: an attacker who controls one camera lies in every member of every message the camera may send. */
describe.skipIf(missing)('a compromised camera at the broker', { timeout: 3_600_000 }, () => {
  let stack: Stack;
  let db: Firestore;
  let api: ReturnType<typeof callerOf>;
  beforeAll(async () => {
    stack = await startStack();
    db = connectEmulator(stack.run);
    api = callerOf(stack);
  });
  afterAll(async () => {
    await db?.terminate();
    await stack?.stop();
  });

  const say = async (method: string, path: string, body: unknown) => {
    const answer = await api.call(method, path, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  /** Two customers, each with a camera and an endpoint. */
  const furnish = async () => {
    await say('PUT', '/v1/teams/operations', { emails: ['ops@example.com'] });
    const cameras = { liar: await connectDevice(stack, 'cam-1'), victim: await connectDevice(stack, 'cam-2') };
    for (const [deviceId, groupId, camera] of [
      ['cam-1', 'north', cameras.liar],
      ['cam-2', 'south', cameras.victim],
    ] as const) {
      const url = receiverOf(stack).urlOf(groupId);
      await say('POST', '/v1/webhooks', { url, events: ['detection', 'alert'], filter: { groups: [groupId] } });
      await camera.send('status', { memory: { usedPercent: 40 } });
      await until(deviceId, async () => (await api.get(`/v1/devices/${deviceId}`)).status === 200);
      await say('PATCH', `/v1/devices/${deviceId}`, { groupId });
    }
    await cameras.victim.send('status', { memory: { usedPercent: 95 } });
    await cameras.victim.send('detection', detection('victim'));
    await until('what the victim has said', async () => (await sessionsAt('south')).includes('victim'));
    const alert = await until('its alert', async () => (await api.get('/v1/devices/cam-2/alerts')).body.alerts[0]);
    // Snoozed, because an escalation, or the notification after an acknowledgement, would be taken for an effect of the lies.
    await say('POST', `/v1/alerts/${alert.alertId}/snooze`, { minutes: 24 * 60 });
    const waiting = async () => (await api.get('/v1/deliveries?status=pending')).body.deliveries;
    await until('an empty outbox', async () => (await waiting()).length === 0);
    return cameras;
  };
  const sessionsAt = async (hook: string): Promise<string[]> =>
    (await receiverOf(stack).seen(hook)).flatMap(({ body }) => JSON.parse(body).session?.id ?? []);

  /** All records except the liar's own, those of the victim's good messages, and those that change by themselves. */
  const others = async (): Promise<string[]> => {
    const records = await allRecords(createFirestoreStore(db));
    return records.flatMap((text) => {
      const [kind = ''] = text.split(' ', 1);
      const data = JSON.parse(text.slice(text.indexOf('{')));
      const isPulse = pulseKinds.includes(kind);
      const isOwn = data.deviceId === 'cam-1' || ['quarantineBudgets', 'quarantineBytes'].includes(kind);
      // Digests of the liar's alerts go to the team of both groups.
      const isOfGroup = data.groupId !== 'south' && data.eventType === 'digest';
      const isGood = /^good /.test(data.eventId ?? data.sessionId ?? '');
      if (isPulse || isOwn || isOfGroup || isGood) return [];
      if (kind !== 'devices') return [text];
      // The store returns members in the order in which they were last written.
      const lasting = Object.entries(data).filter(([name]) => !pulse.includes(name));
      return [`${data.deviceId} ${JSON.stringify(lasting.toSorted(([a], [b]) => (a < b ? -1 : 1)))}`];
    });
  };
  /** The faults in the events that the two endpoints have received since the last call. */
  const faultsOfEvents = async (): Promise<string[]> => {
    const faults: string[] = [];
    for (const [hook, deviceId] of [
      ['north', 'cam-1'],
      ['south', 'cam-2'],
    ] as const) {
      for (const { body } of await receiverOf(stack).seen(hook)) {
        const event = JSON.parse(body);
        const isOwn = (event.device?.id ?? event.alert?.deviceId ?? event.deviceId) === deviceId;
        const isForeignFrame = new RegExp(`${stack.run.storageUrl}.*cam-2`).test(event.imageUrl ?? '');
        if (!isOwn || (hook === 'north' && isForeignFrame)) faults.push(`${hook}: ${body.slice(0, 500)}`);
      }
    }
    await receiverOf(stack).forget();
    return faults;
  };
  const linesOf = (name: string): Record<string, unknown>[] =>
    readFileSync(join(stack.dataDir, 'logs', `${name}.log`), 'utf8')
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));

  test('sends false values in every member of every message: only its own device is affected', async () => {
    const { liar, victim } = await furnish();
    const guardian = await connectAs(stack, 'guardian-cam-1');
    const before = (await others()).toSorted();
    const all = [...lies()].filter((_, index) => index % step === 0);
    const through: string[] = [];
    const delays: number[] = [];
    for (let from = 0; from < all.length; from += batch) {
      for (const [index, { kind, data }] of all.slice(from, from + batch).entries()) {
        const ofGuardian = /^guardian-(.+)$/.exec(kind)?.[1];
        // One in four is sent twice.
        for (let times = index % 4 === 0 ? 2 : 1; times > 0; times -= 1) {
          if (ofGuardian) await guardian.publishAsync(`guardians/cam-1/${ofGuardian}`, data, { qos: 1 });
          else await liar.send(kind, data);
        }
      }
      const good = `good ${from}`;
      const startedAt = Date.now();
      await liar.send('detection', { ...detection(good), ...image });
      await victim.send('detection', detection(good));
      for (const hook of ['south', 'north'])
        await until(`${good} at ${hook}`, async () => (await sessionsAt(hook)).includes(good), heldUpAfterSeconds);
      delays.push(Date.now() - startedAt);
      through.push(...(await faultsOfEvents()));
    }
    console.log(`${all.length} lies; good messages behind ${batch} of them after ${Math.max(...delays)} ms at most`);
    const after = (await others()).toSorted();
    through.push(...after.filter((text) => !before.includes(text)), ...before.filter((text) => !after.includes(text)));
    // Sweeps move counters between records, but the counters of the victim's group must contain only its one alert.
    const counted = (await allRecords(createFirestoreStore(db))).filter((text) => /^trend\S+ \S+ .*south/.test(text));
    through.push(...counted.filter((text) => /opened (?!ERROR":1\D)|resolve|escalate/.test(text)));
    score('S13', 'lies of a camera at the broker of the running stack', all.length, through.length);
    expect(through).toEqual([]);

    // Nothing was quarantined twice, logged as an error, or given up as a dead letter.
    const quarantined = linesOf('ingest').flatMap(({ message, reportId }) =>
      message === 'report.quarantined' ? [String(reportId)] : [],
    );
    expect(quarantined.length).toBeGreaterThan(10);
    expect(quarantined.filter((id, index) => quarantined.indexOf(id) !== index)).toEqual([]);
    for (const name of ['ingest', 'deliver', 'deadline', 'api'])
      expect([name, ...linesOf(name).filter(({ severity }) => severity === 'ERROR')]).toEqual([name]);
    const { reports } = (await api.get('/v1/quarantine?status=all&pageSize=200')).body;
    expect(reports.filter(({ reason }: { reason: string }) => reason === 'dead-letter')).toEqual([]);
    const { messages } = (await (await fetch(`${stack.run.inboxUrl}/messages`)).json()) as { messages: Sent[] };
    expect(JSON.stringify(messages)).toContain('cam-1');
    expect(JSON.stringify(messages)).not.toContain('//evil');
    // Plain text has no markup, so only the other parts are checked.
    for (const { text: _, subject: __, ...shown } of messages)
      expect(JSON.stringify(shown)).not.toMatch(/<script|<!channel/);
    // An effect on the victim would be visible in these records.
    await say('PATCH', '/v1/devices/cam-2', { name: 'another' });
    expect((await others()).toSorted()).not.toEqual(after);
  });
});
