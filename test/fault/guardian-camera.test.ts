import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createVapix } from '../../device/guardian/vapix/vapix.ts';
import { createVapixCall } from '../../device/guardian/vapix/vapix-http.ts';
import { createAuthority, createServerCredential } from '../../local/machine/certificates.ts';
import { createGuardianWorld } from '../support/guardian/world.ts';

type World = Awaited<ReturnType<typeof createGuardianWorld>>;
/** The request timeout for tests with a camera that never answers: long enough for its other answers on a busy machine. */
const requestTimeoutMs = 3000;
let world: World | null = null;
afterEach(async () => {
  await world?.stop();
  world = null;
});

const codesOf = ({ broker }: World) => broker.alerts().map((alert) => alert['alertCode'] ?? alert['type']);
const hostOf = ({ camera }: World) => camera.settings().server?.['host'];

describe('a camera that fails during a heal', () => {
  test('by accepting a configuration and not applying it is never reported as healed', async () => {
    world = await createGuardianWorld();
    world.camera.tamper('broker.host', 'evil.example.net');
    world.camera.setFault({ kind: 'ignore-writes' });
    await world.look();
    await world.look();
    await world.drained();
    expect(codesOf(world)).toEqual(['CONFIG_DRIFT', 'guardian_heal_failed']);
    expect(world.broker.alerts()[1]).toMatchObject({
      reason: 'The camera took the configuration and did not apply it.',
    });
    expect(world.camera.calls()['configureClient']).toBe(2);
    world.camera.setFault(null);
    await world.look();
    await world.drained();
    expect(codesOf(world)).toEqual(['CONFIG_DRIFT', 'guardian_heal_failed', 'CONFIG_HEALED']);
    // Two failed heals of 9 s each, each followed by the 30 s until the next look.
    expect(world.broker.alerts()[2]).toMatchObject({ heal: { durationMs: 78_000 } });
  });

  test('by refusing one field gets all others, and is reported as healed only when it accepts that one too', async () => {
    world = await createGuardianWorld();
    world.camera.tamper('broker.host', 'evil.example.net');
    world.camera.tamper('topicPrefix', 'evil');
    world.camera.setFault({ kind: 'refuse-field', field: 'topicPrefix' });
    await world.look();
    await world.drained();
    expect(hostOf(world)).toBe('mqtt.example.com');
    expect(codesOf(world)).toEqual(['CONFIG_DRIFT', 'guardian_heal_failed']);
    expect(world.broker.alerts()[1]).toMatchObject({ reason: 'The camera refuses the golden topicPrefix.' });
    world.camera.setFault(null);
    await world.look();
    await world.drained();
    expect(world.broker.alerts()[2]).toMatchObject({ heal: { fieldsRestored: ['broker.host', 'topicPrefix'] } });
  });

  test('by refusing the only drifted field gets one failed heal and no useless writes', async () => {
    world = await createGuardianWorld();
    world.camera.tamper('topicPrefix', 'evil');
    world.camera.setFault({ kind: 'refuse-field', field: 'topicPrefix' });
    await world.look();
    await world.drained();
    expect(codesOf(world)).toEqual(['CONFIG_DRIFT', 'guardian_heal_failed']);
    expect(world.broker.alerts()[1]?.['reason']).toContain('2104');
  });

  test.each([
    ['401', 'unauthorized', { kind: 'unauthorized', method: 'configureClient', times: 1 }],
    [
      'an internal error',
      'internal: The camera answered error 1100',
      { kind: 'internal-error', method: 'configureClient', times: 1 },
    ],
    ['silence', 'timeout', { kind: 'hang', seconds: 30, method: 'configureClient', times: 1 }],
    ['silence at activation', 'timeout', { kind: 'hang', seconds: 30, method: 'activateClient', times: 1 }],
  ] as const)('with %s in its middle is healed at the next look', async (_what, reason, fault) => {
    world = await createGuardianWorld({ requestTimeoutMs });
    world.camera.tamper('broker.host', 'evil.example.net');
    world.camera.setFault(fault);
    await world.look();
    await world.look();
    await world.drained();
    expect(codesOf(world)).toEqual(['CONFIG_DRIFT', 'guardian_heal_failed', 'CONFIG_HEALED']);
    expect(world.broker.alerts()[1]?.['reason']).toContain(reason);
  });

  test('by not connecting gets its configuration back, but is healed only when it connects', async () => {
    let isReachable = true;
    world = await createGuardianWorld({ camera: { connects: () => isReachable } });
    world.camera.tamper('broker.host', 'evil.example.net');
    isReachable = false;
    await world.look();
    await world.look();
    expect(hostOf(world)).toBe('mqtt.example.com');
    await world.drained();
    expect(codesOf(world)).toEqual(['CONFIG_DRIFT', 'guardian_heal_failed']);
    expect(world.camera.calls()['configureClient']).toBe(1);
    isReachable = true;
    await world.look();
    await world.drained();
    expect(codesOf(world)).toEqual(['CONFIG_DRIFT', 'guardian_heal_failed', 'CONFIG_HEALED']);
  });

  test('by being changed while its client connects has drifted again', async () => {
    let looks = 0;
    const connects = () => {
      looks += 1;
      if (looks === 3) world?.camera.tamper('broker.host', 'evil.example.net');
      return looks > 4;
    };
    world = await createGuardianWorld({ camera: { connects } });
    world.camera.tamper('broker.host', 'evil.example.net');
    await world.look();
    await world.look();
    await world.drained();
    expect(codesOf(world)).toEqual(['CONFIG_DRIFT', 'guardian_heal_failed', 'CONFIG_DRIFT', 'CONFIG_HEALED']);
    expect(world.broker.alerts()[1]).toMatchObject({ reason: 'The camera was changed again during the heal.' });
  });
});

describe('a camera that cannot be read', () => {
  test('makes the guardian report blindness once, and is guarded again when it answers', async () => {
    world = await createGuardianWorld();
    world.camera.setFault({ kind: 'unauthorized' });
    for (let count = 0; count < 5; count += 1) await world.look();
    expect(world.guardian.report()).toMatchObject({ status: 'blind', lastCheck: { outcome: 'failed' } });
    world.camera.setFault(null);
    world.camera.tamper('broker.host', 'evil.example.net');
    await world.look();
    await world.drained();
    expect(codesOf(world)).toEqual(['guardian_blind', 'CONFIG_DRIFT', 'CONFIG_HEALED']);
  });

  test('for 30 s delays the guardian by one request timeout at most', async () => {
    world = await createGuardianWorld({ requestTimeoutMs });
    world.camera.setFault({ kind: 'hang', seconds: 30, method: 'getClientStatus', times: 1 });
    await world.look();
    expect(world.guardian.report().lastCheck).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('timeout'),
    });
    await world.look();
    expect(world.guardian.report().status).toBe('golden');
  });
});

describe('clock jumps', () => {
  const dayMs = 24 * 3_600_000;

  test.each([
    ['forward', dayMs],
    ['back', -dayMs],
  ])('of a day %s do not move a maintenance window, and no alert gets an earlier time', async (_what, jumpMs) => {
    world = await createGuardianWorld();
    for (let count = 0; count < 4; count += 1) {
      if (count === 2) world.now.calendarMs += jumpMs;
      world.camera.tamper('broker.host', 'evil.example.net');
      await world.look();
    }
    await world.drained();
    expect(codesOf(world).filter((code) => code === 'CONFIG_CONFLICT')).toHaveLength(1);
    const timestamps = world.broker.alerts().map((alert) => String(alert['timestamp']));
    expect(timestamps).toEqual([...new Set(timestamps)].sort());
  });
});

describe('a restart', () => {
  test('between a heal and its confirmation sends the drift once and the heal once', async () => {
    world = await createGuardianWorld({ requestTimeoutMs });
    world.camera.tamper('broker.host', 'evil.example.net');
    world.camera.setFault({ kind: 'hang', seconds: 30, method: 'activateClient', times: 1 });
    await world.look();
    await world.restart();
    await world.look();
    await world.drained();
    expect(codesOf(world)).toEqual(['CONFIG_DRIFT', 'guardian_heal_failed', 'CONFIG_HEALED']);
  });

  test('forgets no episode of a conflict', async () => {
    world = await createGuardianWorld();
    for (let count = 0; count < 4; count += 1) {
      world.camera.tamper('broker.host', 'evil.example.net');
      if (count === 2) await world.restart();
      await world.look();
    }
    await world.drained();
    expect(codesOf(world).filter((code) => code === 'CONFIG_CONFLICT')).toHaveLength(1);
  });

  test('with an older golden configuration keeps the newer one and reports that', async () => {
    const golden = (generation: number, host: string) => ({
      golden: { deviceId: 'cam-1', generation, configuration: { broker: { host } } },
    });
    world = await createGuardianWorld({ file: golden(2, 'mqtt.example.com') });
    await world.look();
    await world.restart(golden(1, 'old.example.com'));
    world.camera.tamper('broker.host', 'old.example.com');
    await world.look();
    await world.drained();
    expect(hostOf(world)).toBe('mqtt.example.com');
    expect(codesOf(world)).toEqual(['guardian_golden_refused', 'CONFIG_DRIFT', 'CONFIG_HEALED']);
    expect(world.guardian.report()).toMatchObject({
      goldenGeneration: 2,
      goldenRefused: expect.stringContaining('older than 2'),
    });
  });

  test('with the same generation and another content keeps the old content and reports that', async () => {
    const golden = (host: string) => ({
      golden: { deviceId: 'cam-1', generation: 2, configuration: { broker: { host } } },
    });
    world = await createGuardianWorld({ file: golden('mqtt.example.com') });
    await world.look();
    await world.restart(golden('evil.example.net'));
    await world.look();
    await world.drained();
    expect(hostOf(world)).toBe('mqtt.example.com');
    expect(codesOf(world)).toEqual(['guardian_golden_refused']);
    expect(world.guardian.report().goldenRefused).toContain('Generation 2 was seen with another content');
  });

  test('with a newer golden configuration applies it to the camera without an alert', async () => {
    const golden = (generation: number, host: string) => ({
      golden: { deviceId: 'cam-1', generation, configuration: { broker: { host } } },
    });
    world = await createGuardianWorld({ file: golden(1, 'mqtt.example.com') });
    await world.look();
    await world.restart(golden(2, 'new.example.com'));
    await world.look();
    await world.drained();
    expect(hostOf(world)).toBe('new.example.com');
    expect(codesOf(world)).toEqual(['config_updated']);
  });
});

describe('an answer that is no VAPIX', () => {
  let server: Server;
  afterEach(() => server.closeAllConnections());

  const answers: [what: string, reason: string, listener: RequestListener][] = [
    ['503', 'internal', (_request, answer) => answer.writeHead(503).end('busy')],
    ['404', 'internal', (_request, answer) => answer.writeHead(404).end()],
    [
      'a redirect',
      'internal',
      (_request, answer) => answer.writeHead(302, { Location: 'http://evil.example.net/' }).end(),
    ],
    ['403', 'unauthorized', (_request, answer) => answer.writeHead(403).end()],
    ['HTML', 'unreadable', (_request, answer) => answer.end('<html>')],
    ['null', 'unreadable', (_request, answer) => answer.end('null')],
    ['an empty body', 'unreadable', (_request, answer) => answer.end()],
    ['no versions', 'unsupported', (_request, answer) => answer.end('{"data":{}}')],
    ['version 2 only', 'unsupported', (_request, answer) => answer.end('{"data":{"apiVersions":["2.0"]}}')],
    [
      'a status without configuration',
      'unreadable',
      (_request, answer) => answer.end('{"data":{"apiVersions":["1.0"]}}'),
    ],
    [
      'a lack of rights',
      'unauthorized',
      (_request, answer) => answer.end('{"error":{"code":2105,"message":"Authorization failure"}}'),
    ],
    ['an error without a code', 'internal', (_request, answer) => answer.end('{"error":"no"}')],
    ['an endless body', 'unreachable', (_request, answer) => endless(answer)],
    ['half a body', 'timeout', (_request, answer) => answer.write('{"data":')],
    ['a closed connection', 'unreachable', (request) => request.socket.destroy()],
  ];
  test.each(answers)('%s gives the failure %s and no crash', async (_what, reason, listener) => {
    server = createServer(listener).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    // Short only where the camera never answers: a busy machine may take longer for an answer.
    const timeoutMs = reason === 'timeout' ? 300 : 10_000;
    const call = createVapixCall({ url, ca: null, credentials: null, timeoutMs, randomText: () => 'c' });
    const camera = createVapix({ call, serial: 'ACCC8E000001', clientPassword: null });
    expect(await camera.read({ clientId: 'cam-1' })).toMatchObject({ status: 'failed', reason });
    expect(await camera.write({ clientId: 'cam-1' })).toMatchObject({ status: 'failed', reason });
  });
});

describe('a management interface over TLS', () => {
  test('gets the password only from a guardian that trusts its authority', async () => {
    const [authority, stranger] = [createAuthority(new Date()), createAuthority(new Date())];
    const { certificate, key } = createServerCredential(authority, new Date());
    const authorisations: (string | undefined)[] = [];
    const server = createTlsServer({ cert: certificate, key }, (request, answer) => {
      authorisations.push(request.headers.authorization);
      if (request.headers.authorization === undefined)
        answer.writeHead(401, { 'WWW-Authenticate': 'Basic realm="AXIS"' });
      answer.end('{"data":{"apiVersions":["1.0"]}}');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = new URL(`https://localhost:${(server.address() as AddressInfo).port}`);
    const credentials = { username: 'root', password: 'pass' };
    const ask = (ca: string) =>
      createVapixCall({ url, ca, credentials, timeoutMs: 5_000, randomText: () => 'c' })('/', {
        method: 'getSupportedVersions',
      });
    expect(await ask(stranger.certificate)).toMatchObject({ status: 'failed', reason: 'unreachable' });
    expect(authorisations).toEqual([]);
    expect(await ask(authority.certificate)).toMatchObject({ status: 'answered' });
    expect(authorisations).toEqual([undefined, 'Basic cm9vdDpwYXNz']);
    server.closeAllConnections();
    server.close();
  });
});

function endless(answer: ServerResponse): void {
  while (answer.write('x'.repeat(65_536)));
  answer.once('drain', () => endless(answer));
}
