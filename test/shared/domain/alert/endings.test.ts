import { expect, test } from 'vitest';
import { putSettings } from '../../../../shared/app/settings/settings.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { giveTeam, messagesOf } from '../../../support/records/alerts.ts';
import { endpoint, sentDeliveries } from '../../../support/records/deliveries.ts';
import { guardianAlert } from '../../../support/records/stories.ts';
import { at, createTimeline, hour, minute } from '../../../support/world/timeline.ts';

const attempt = (attemptedHost: string, seconds = 0) => ({
  type: 'unauthorized_broker_attempt',
  timestamp: at(seconds),
  attemptedHost,
});
const memory = (usedPercent: number) => ({ memory: { usedPercent } });
const latency = (latencyMs: number) => ({ mqtt: { latencyMs } });
const failures = (failedAttempts: number, seconds: number) => ({
  timestamp: at(seconds),
  auth: { failedAttempts, windowSeconds: 60 },
});
const resolve = { kind: 'resolve' } as const;

async function notified() {
  const line = createTimeline();
  await giveTeam(line.world, 'operations', { emails: ['ops@example.com'] });
  const occasions = async () => (await messagesOf(line.world)).map(({ message }) => message?.occasion);
  return { ...line, occasions };
}

test('two attempts in one second of a slow clock are two: each has its line of activity and its evidence', async () => {
  const line = createTimeline();
  await line.says(1, 'event', attempt('a.example'));
  await line.says(2, 'event', attempt('b.example'));
  expect((await line.activity('event')).map(({ detail }) => detail['attemptedHost']).toSorted()).toEqual([
    'a.example',
    'b.example',
  ]);
  const [alert] = await line.alerts();
  expect(alert).toMatchObject({ occurrences: 2, context: { attemptedHost: 'b.example', attempts: 2 } });
});

test('an event that comes again within 10 minutes is the same, later it is another', async () => {
  const line = createTimeline();
  await line.says(0, 'event', attempt('a.example'));
  await line.says(600, 'event', attempt('a.example'));
  expect((await line.alerts())[0]).toMatchObject({ occurrences: 1 });
  await line.says(601, 'event', attempt('a.example'));
  expect((await line.alerts())[0]).toMatchObject({ occurrences: 2 });
  expect(await line.activity('event')).toHaveLength(2);
});

test('a line of activity is never replaced by one that comes later', async () => {
  const line = createTimeline();
  const given = { messageId: 'one' };
  await line.says(0, 'connection', { status: 'online', connectedAt: at(0) }, given);
  const first = await line.activity('presence');
  for (let count = 1; count <= 20; count += 1) await line.says(count, 'event', { type: `t${count}`, timestamp: at(0) });
  await line.says(30, 'connection', { status: 'online', connectedAt: at(20) }, given);
  expect(await line.activity('presence')).toEqual(first);
});

test.each<[string, string, (line: ReturnType<typeof createTimeline>, seconds: number) => Promise<void>]>([
  [
    'SEC_001',
    'certificate_validation_failed',
    (line, s) => line.says(s, 'event', { type: 'certificate_validation_failed', timestamp: at(s), reason: `${s}` }),
  ],
  ['SEC_002', 'unauthorized_broker_attempt', (line, s) => line.says(s, 'event', attempt('a.example', s))],
  ['SEC_004', 'failures', (line, s) => line.says(s, 'status', failures(6, s))],
])('%s that %s opened ends for good by hand: only a new one raises it again', async (code, _, happens) => {
  const line = createTimeline();
  await happens(line, 0);
  expect(await line.states()).toEqual([`${code} active`]);
  await line.until(minute);
  await line.acts(code, resolve);
  await line.says(hour + 2 * minute, 'status', memory(20));
  await line.sweptUntil(4 * hour);
  expect(await line.states()).not.toContain(`${code} active`);
  await happens(line, 5 * hour);
  expect((await line.states()).filter((state) => state.startsWith(code))).toEqual([
    `${code} active`,
    `${code} resolved`,
  ]);
});

test('what else is said of a certificate is no new failure of it', async () => {
  const line = createTimeline();
  await line.says(0, 'event', { type: 'certificate_validation_failed', timestamp: at(0), reason: 'self-signed' });
  await line.until(minute);
  await line.acts('SEC_001', resolve);
  for (let hours = 2; hours < 6; hours += 1) {
    await line.says(hours * hour, 'status', { certificate: { notAfter: at(400 * 24 * hour + hours) } });
    await line.sweptUntil(hours * hour + 5 * minute);
  }
  expect(await line.states()).toEqual(['SEC_001 resolved']);
  await line.says(6 * hour, 'status', { certificate: { valid: false } });
  expect(await line.openCodes()).toContain('SEC_001');
});

test.each<[string, (line: ReturnType<typeof createTimeline>, seconds: number) => Promise<void>]>([
  [
    'SEC_001',
    (line, s) => line.says(s, 'event', { type: 'certificate_validation_failed', timestamp: at(s), reason: `${s}` }),
  ],
  ['SEC_002', (line, s) => line.says(s, 'event', attempt('a.example', s))],
  ['SEC_004', (line, s) => line.says(s, 'status', failures(6, s))],
])(
  '%s is raised again by the first word after a person resolved it, where that is a new event',
  async (code, happens) => {
    const line = createTimeline();
    await happens(line, 0);
    await line.until(minute);
    await line.acts(code, resolve);
    await happens(line, 2 * minute);
    expect(await line.states()).toEqual([`${code} active`, `${code} resolved`]);
  },
);

test('an attempt that was published before a person closed the incident, but is heard after, is a new one', async () => {
  const line = createTimeline();
  await line.says(10, 'event', attempt('a.example', 10));
  await line.until(60);
  await line.acts('SEC_002', resolve);
  await line.arrives(5, 'event', attempt('b.example', 5));
  expect(await line.states()).toEqual(['SEC_002 active', 'SEC_002 resolved']);
  await line.arrives(10, 'event', attempt('a.example', 10));
  expect((await line.alerts()).map(({ occurrences }) => occurrences)).toEqual([1, 1]);
});

test('a failure of a certificate that was published before the one that a person closed, but is heard after, is a new one', async () => {
  const line = createTimeline();
  const failed = (reason: string) => ({ type: 'certificate_validation_failed', timestamp: at(reason.length), reason });
  await line.says(10, 'event', failed('self-signed'));
  await line.until(60);
  await line.acts('SEC_001', resolve);
  await line.arrives(5, 'event', failed('expired'));
  expect(await line.states()).toEqual(['SEC_001 active', 'SEC_001 resolved']);
  await line.arrives(10, 'event', failed('self-signed'));
  expect((await line.alerts()).map(({ occurrences }) => occurrences)).toEqual([1, 1]);
  // A later measurement is newer than both failures.
  await line.arrives(30, 'status', { certificate: { valid: true } });
  expect(await line.openCodes()).toEqual([]);
});

test('of two failures of a certificate that a person closed, the earlier one that comes again raises nothing, however late', async () => {
  const line = createTimeline();
  const failed = (seconds: number) => ({ type: 'certificate_validation_failed', timestamp: at(seconds), reason: 'r' });
  await line.says(5, 'event', failed(5));
  await line.says(10, 'event', failed(10));
  await line.until(60);
  await line.acts('SEC_001', resolve);
  await line.arrives(5, 'event', failed(5));
  expect(await line.states()).toEqual(['SEC_001 resolved']);
  await line.until(15 * minute);
  await line.arrives(5, 'event', failed(5));
  expect(await line.states()).toEqual(['SEC_001 resolved']);
});

test('a camera that was taken down for repair stays resolved until it has been online and is lost again', async () => {
  const line = createTimeline();
  const other = (seconds: number) => line.says(seconds, 'status', {}, { deviceId: 'other' });
  await line.says(0, 'connection', { status: 'online', connectedAt: at(0) });
  await line.says(10, 'connection', { status: 'offline', connectedAt: at(0) });
  await line.sweptUntil(420);
  await line.acts('CONN_001', resolve);
  for (let seconds = 480; seconds < 5 * hour; seconds += minute) {
    await other(seconds - 30);
    await line.sweptUntil(seconds);
  }
  expect(await line.openCodes()).toEqual([]);
  await line.says(5 * hour, 'connection', { status: 'online', connectedAt: at(5 * hour) });
  await line.says(5 * hour + 10, 'connection', { status: 'offline', connectedAt: at(5 * hour) });
  await line.sweptUntil(5 * hour + 420);
  expect(await line.states()).toEqual(['CONN_001 active', 'CONN_001 resolved']);
});

test('what a measure holds open is raised again by a sighting after the mute, or announced when it got worse in it', async () => {
  const line = await notified();
  await line.says(0, 'status', memory(91));
  await line.acts('RES_001', resolve);
  await line.says(10 * minute, 'status', memory(92));
  expect(await line.openCodes()).toEqual([]);
  await line.says(20 * minute, 'status', memory(96));
  expect(await line.states()).toEqual(['RES_001 active']);
  expect((await line.alerts())[0]).toMatchObject({
    worsenedAt: at(20 * minute),
    message: 'Memory at 96 %, limit 90 %',
  });
  await line.acts('RES_001', resolve);
  await line.says(30 * minute, 'status', memory(97));
  expect(await line.states()).toEqual(['RES_001 resolved']);
  await line.says(81 * minute, 'status', memory(92));
  expect(await line.states()).toEqual(['RES_001 active', 'RES_001 resolved']);
});

test.each<[string, string, object[], number]>([
  ['memory at 95 and 99 %', 'RES_001', [91, 94, 95, 96, 99, 91, 99].map(memory), 2],
  [
    'storage at 50, 10 and 0 MB',
    'RES_003',
    [99, 51, 50, 10, 0, 0, 60, 5].map((freeMegabytes) => ({ storage: { freeMegabytes } })),
    3,
  ],
  ['latency at 1,000 and 2,000 ms', 'CONN_003', [501, 999, 1000, 2000, 900, 3000].map(latency), 2],
])('an acknowledged alert that gets worse is announced once for each step: %s', async (_, code, bodies, count) => {
  const line = await notified();
  for (const [index, body] of bodies.entries()) {
    await line.says(index * 70, 'status', body);
    if (index === 0) await line.acts(code, { kind: 'acknowledge' });
  }
  expect((await line.trail(code)).filter(({ action }) => action === 'worsen')).toHaveLength(count);
  expect(await line.states()).toEqual([`${code} acknowledged`]);
  const first = (await line.occasions()).find((occasion) => occasion === 'worsened');
  // No mail is sent for a WARNING.
  expect(first === undefined).toBe(code !== 'RES_001');
});

test('a further host is announced, every attempt is kept in the trail, and the context counts them', async () => {
  const line = await notified();
  for (const [index, host] of ['a.example', 'a.example', 'b.example', 'a.example'].entries()) {
    await line.says(index * 70, 'event', attempt(host, index * 70));
    if (index === 0) await line.acts('SEC_002', { kind: 'acknowledge' });
  }
  expect((await line.trail('SEC_002')).map(({ action, why }) => `${action} ${why}`)).toEqual([
    'open null',
    'acknowledge null',
    'announce-taken Somebody has it',
    'see Unauthorized broker connection attempt to a.example',
    'worsen It got worse: by the host b.example',
    'see Unauthorized broker connection attempt to a.example',
  ]);
  expect((await line.alerts())[0]).toMatchObject({
    status: 'acknowledged',
    context: { attemptedHost: 'a.example', attempts: 4 },
  });
  expect((await line.occasions()).filter((occasion) => occasion === 'worsened')).toHaveLength(1);
});

test('a condition that is back within 10 minutes goes on in its alert: acknowledged as it was, and since when it was', async () => {
  const line = await notified();
  await line.says(0, 'status', latency(900));
  await line.acts('CONN_003', { kind: 'acknowledge' });
  await line.says(60, 'status', latency(10));
  await line.says(360, 'status', latency(900));
  expect(await line.alerts()).toMatchObject([
    { status: 'acknowledged', acknowledgedBy: 'ana', timestamp: at(0), occurrences: 2 },
  ]);
});

test('its response time runs on from what was left, and its snooze stands', async () => {
  const line = await notified();
  await line.says(0, 'status', memory(95));
  await line.says(50 * minute, 'status', memory(80));
  await line.says(55 * minute, 'status', memory(95));
  expect((await line.alerts()).find(({ code }) => code === 'RES_001')).toMatchObject({
    status: 'active',
    respondBy: at(65 * minute),
  });
  await line.until(65 * minute);
  expect(await line.states()).toContain('RES_001 escalated');
  await line.says(66 * minute, 'status', latency(900));
  await line.acts('CONN_003', { kind: 'snooze', minutes: 60 });
  await line.says(67 * minute, 'status', latency(10));
  await line.says(68 * minute, 'status', latency(900));
  const snoozed = (await line.alerts()).find(({ code }) => code === 'CONN_003');
  expect(snoozed).toMatchObject({ status: 'active', snoozedUntil: at(126 * minute), isSnoozed: true, respondBy: null });
  await line.says(69 * minute, 'status', latency(10));
  await line.says(90 * minute, 'status', latency(900));
  const later = (await line.alerts()).filter(({ code, isOpen }) => code === 'CONN_003' && isOpen);
  expect(later).toMatchObject([{ snoozedUntil: at(126 * minute) }]);
  await line.until(127 * minute);
  expect((await line.alerts()).find(({ code, isOpen }) => code === 'CONN_003' && isOpen)).toMatchObject({
    snoozedUntil: null,
  });
});

test('an alert that begins within a snooze is opened for endpoints when the snooze is over', async () => {
  const line = createTimeline();
  const hook = endpoint({ events: ['alert'] });
  await line.world.store.commit([{ kind: 'create', in: 'webhooks', id: hook.webhookId, data: hook }]);
  const changes = async () => {
    const sent = (await sentDeliveries(line.world.store)).filter(({ channel }) => channel === 'webhook');
    return sent.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)).map(({ body }) => JSON.parse(body).change);
  };
  await line.says(0, 'status', memory(95));
  await line.acts('RES_001', { kind: 'snooze', until: at(2 * hour) });
  await line.says(10 * minute, 'status', memory(20));
  await line.says(21 * minute, 'status', memory(95));
  expect(await line.states()).toEqual(['RES_001 active', 'RES_001 resolved']);
  expect(await changes()).toEqual(['opened', 'resolved']);
  await line.until(2 * hour + 1);
  await line.acts('RES_001', { kind: 'acknowledge' });
  expect(await changes()).toEqual(['opened', 'resolved', 'opened', 'acknowledged']);
});

test('one cause that repeats a day later is a new alert', async () => {
  const line = createTimeline();
  for (const seconds of [0, 24 * hour]) {
    await line.says(seconds, 'status', latency(900));
    await line.says(seconds + 60, 'status', latency(10));
  }
  expect(await line.states()).toEqual(['CONN_003 resolved', 'CONN_003 resolved']);
});

test('a camera that flaps is announced once, and its alert stays open until 10 minutes are quiet while its response time runs', async () => {
  const line = await notified();
  let seconds = 0;
  const flap = async () => {
    await line.says(seconds, 'status', memory(95));
    await line.says(seconds + 120, 'status', memory(20));
    seconds += 240;
  };
  for (let count = 0; count < 12; count += 1) await flap();
  const flapping = (await line.alerts()).filter(({ code }) => code === 'RES_001');
  expect(flapping).toMatchObject([{ flapping: true, isOpen: true, status: 'active' }]);
  expect((await line.trail('RES_001')).filter(({ action }) => action === 'return')).toHaveLength(3);
  expect((await line.occasions()).filter((occasion) => occasion === 'flapping')).toHaveLength(1);
  await line.until(seconds - 120 + 599);
  expect(await line.openCodes()).toEqual(['RES_001']);
  await line.until(seconds - 120 + 600);
  expect(await line.openCodes()).toEqual([]);
});

test('one that goes on flapping is escalated when its response time is over', async () => {
  const line = await notified();
  for (let seconds = 0; seconds < 80 * minute; seconds += 240) {
    await line.says(seconds, 'status', memory(95));
    await line.says(seconds + 120, 'status', memory(20));
  }
  expect(await line.states()).toEqual(['RES_001 escalated']);
});

test('what a person has reopened stays open until the condition begins anew and ends; nobody is notified that it normalised', async () => {
  const line = createTimeline();
  await line.says(0, 'status', memory(95));
  await line.acts('RES_001', resolve);
  await line.says(60, 'status', memory(20));
  await line.acts('RES_001', { kind: 'reopen' });
  for (let seconds = 2 * minute; seconds < hour; seconds += minute) await line.says(seconds, 'status', memory(20));
  expect(await line.openCodes()).toEqual(['RES_001']);
  await line.says(hour, 'status', memory(95));
  await line.says(hour + 60, 'status', memory(20));
  expect(await line.states()).toEqual(['RES_001 resolved']);
  expect((await line.alerts()).map(({ code }) => code)).not.toContain('RES_004');
});

test('a drift that healed has no response time and ends after a day without being escalated', async () => {
  const line = createTimeline();
  await line.says(0, 'guardian', guardianAlert('drift', ['broker.port'], at(0)));
  await line.says(5, 'guardian', guardianAlert('heal', ['broker.port'], at(5)));
  expect((await line.alerts()).find(({ code }) => code === 'CFG_002')).toMatchObject({ respondBy: null });
  await line.until(25 * hour);
  expect(await line.states()).toEqual(['CFG_001 resolved', 'CFG_002 resolved']);
  expect((await line.trail('CFG_002')).map(({ action }) => action)).toEqual(['open', 'end']);
});

test.each([
  [3600, false],
  [3600 - 59, false],
  [3600 - 60, false],
  [3600 - 61, true],
])(
  'with a response time of %i s an alert that ends by itself after an hour is escalated: %s',
  async (WARNING, isEscalated) => {
    const line = createTimeline();
    await putSettings(
      line.world,
      { ...defaultSettings, responseSeconds: { ...defaultSettings.responseSeconds, WARNING } },
      null,
    );
    await line.says(0, 'guardian', guardianAlert('conflict', ['clientId'], at(0)));
    await line.until(3 * hour);
    expect((await line.trail('CFG_003')).map(({ action }) => action)).toEqual(
      isEscalated ? ['open', 'escalate', 'remind', 'end'].filter((a) => a !== 'remind') : ['open', 'end'],
    );
  },
);

test('its camera is looked at before an alert escalates: what is over ends, though the wake of the camera was lost', async () => {
  const line = createTimeline();
  const responseSeconds = { ...defaultSettings.responseSeconds, WARNING: 3600 };
  await putSettings(line.world, { ...defaultSettings, responseSeconds }, null);
  await line.says(0, 'guardian', guardianAlert('conflict', ['clientId'], at(0)));
  const { wakes } = line.world;
  wakes.splice(0, wakes.length, ...wakes.filter((wake) => wake.in !== 'devices'));
  await line.until(hour);
  expect((await line.trail('CFG_003')).map(({ action }) => action)).toEqual(['open', 'end']);
});

test('two copies of one connection event that names no connection are one', async () => {
  const line = createTimeline();
  for (const minutes of [0, 10, 20, 30]) {
    await line.says(minutes * minute, 'connection', { status: 'online', timestamp: at(minutes * minute) });
    await line.says(minutes * minute + 5, 'connection', { status: 'online', timestamp: at(minutes * minute) });
  }
  for (const minutes of [31, 32, 33]) {
    await line.says(minutes * minute, 'status', memory(20));
  }
  expect(await line.openCodes()).toEqual([]);
  await line.says(40 * minute, 'connection', { status: 'online' });
  await line.says(40 * minute + 2, 'connection', { status: 'online' });
  expect((await line.device())?.presence.connects).toHaveLength(6);
  expect(await line.openCodes()).toEqual(['CONN_002']);
});

test('the second copy of a last will does not take a camera down that has come back', async () => {
  const line = createTimeline();
  await line.says(0, 'connection', { status: 'online' });
  await line.says(60, 'connection', { status: 'offline' });
  await line.says(60.5, 'connection', { status: 'online' });
  await line.says(61, 'connection', { status: 'offline' });
  await line.until(400);
  expect(await line.openCodes()).toEqual([]);
});

test('failed authentications with equal stamps are one', async () => {
  const line = createTimeline();
  await line.says(0, 'status', failures(3, 0));
  await line.says(30, 'status', failures(3, 0));
  expect(await line.openCodes()).toEqual([]);
  await line.says(60, 'status', failures(3, 60));
  expect(await line.openCodes()).toEqual(['SEC_004']);
});

const restored = (seconds: number) => ({
  type: 'configuration_restored',
  timestamp: at(seconds),
  reason: 'by somebody else',
});

test('a drift that somebody else mended ends its alert', async () => {
  const line = createTimeline();
  await line.says(0, 'guardian', guardianAlert('drift', ['broker.port'], at(0)));
  expect(await line.openCodes()).toEqual(['CFG_001']);
  await line.says(30, 'event', restored(30));
  expect(await line.alerts()).toMatchObject([{ code: 'CFG_001', status: 'resolved', resolution: 'automatic' }]);
});

const high = (severity: string, seconds = 0) => {
  const drift = { fields: [{ name: 'topicPrefix', expected: 'a', severity }], maxSeverity: severity, count: 1 };
  const device = { serial: 'S', model: 'M', ip: null };
  return { alertCode: 'CONFIG_DRIFT', severity: 'notice', device, timestamp: at(seconds), drift, action: 'WATCHING' };
};

test.each([
  ['HIGH', ['CFG_001']],
  ['WILD', ['CFG_001']],
  ['MEDIUM', []],
])('a drift of severity %s that nothing heals within 10 minutes comes to %j', async (severity, codes) => {
  const line = createTimeline();
  await line.says(0, 'guardian', high(severity));
  expect(await line.quarantined()).toEqual([]);
  await line.until(10 * minute - 1);
  expect(await line.openCodes()).toEqual([]);
  await line.until(10 * minute);
  expect(await line.openCodes()).toEqual(codes);
  if (codes.length > 0) expect((await line.alerts())[0]?.context.reason).toBe('not healed within 10 minutes');
});

test('a drift that the guardian failed three times to heal is critical at once', async () => {
  const line = createTimeline();
  await line.says(0, 'guardian', high('HIGH'));
  for (const seconds of [30, 60, 90]) {
    expect(await line.openCodes()).toEqual([]);
    await line.says(seconds, 'event', { type: 'guardian_heal_failed', timestamp: at(seconds), reason: 'refused' });
  }
  expect((await line.alerts())[0]).toMatchObject({
    code: 'CFG_001',
    context: { reason: 'the guardian failed 3 times to heal it' },
  });
});
