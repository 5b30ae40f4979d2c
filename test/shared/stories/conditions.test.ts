import { expect, test } from 'vitest';
import { giveTeam } from '../../support/records/alerts.ts';
import { guardianAlert } from '../../support/records/stories.ts';
import { createChronicle } from '../../support/world/chronicle.ts';

/** The values lie at each threshold and just beyond it. */
test('readings that reach and leave each threshold', async () => {
  const { world, says, passes, text } = createChronicle();
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  const readings: [member: string, values: object[]][] = [
    ['memory', [80, 80.1, 90, 90.1, 94, 95, 99, 85.1, 85, 75.1, 75].map((usedPercent) => ({ usedPercent }))],
    ['storage', [100, 99, 50, 10, 0, 119, 120].map((freeMegabytes) => ({ freeMegabytes }))],
    ['mqtt', [500, 501, 999, 1000, 2000, 400, 399].map((latencyMs) => ({ latencyMs }))],
  ];
  for (const [member, values] of readings) {
    for (const value of values) {
      await passes(30);
      await says('cam-1', 'status', { groupId: 'north', [member]: value });
    }
  }
  await expect(text()).toMatchFileSnapshot('readings.txt');
});

test('certificates, failed authentications and attempts', async () => {
  const { world, says, passes, text } = createChronicle();
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  const event = (type: string, more: object = {}) => ({ type, timestamp: world.now(), ...more });
  const inDays = (days: number) => new Date(Date.parse(world.now()) + days * 86_400_000).toISOString();
  await says('cam-1', 'status', { groupId: 'north', certificate: { valid: true, notAfter: inDays(7) } });
  await passes(60);
  await says('cam-1', 'status', { certificate: { valid: true, notAfter: inDays(6.9) } });
  await passes(60);
  await says('cam-1', 'status', { certificate: { valid: false, notAfter: inDays(-1), reason: 'expired' } });
  await passes(60);
  await says('cam-1', 'status', { certificate: { valid: true, notAfter: inDays(365) } });
  await passes(60);
  await says('cam-1', 'event', event('certificate_validation_failed', { reason: 'unknown authority' }));
  await passes(60);
  for (const failedAttempts of [4, 1, 6]) {
    await says('cam-1', 'status', { auth: { failedAttempts, windowSeconds: 60 } });
    await passes(60);
  }
  const attempt = event('unauthorized_broker_attempt', {
    expectedHost: 'broker.example',
    attemptedHost: 'evil.example',
  });
  await says('cam-1', 'event', attempt);
  await says('cam-1', 'event', attempt);
  await passes(3660);
  await says('cam-1', 'event', event('config_updated'));
  await says('cam-1', 'event', event('restarted'));
  await says('cam-1', 'event', event('lens_cleaned'));
  await passes(600);
  await says('cam-1', 'status', { uptimeSeconds: 30 });
  await expect(text()).toMatchFileSnapshot('security.txt');
});

test('connections that are lost, come back and change often', async () => {
  const { world, says, passes, text } = createChronicle();
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: ['+46701111111'] });
  const connectedAt = world.now();
  await says('cam-1', 'connection', { status: 'online', connectedAt });
  await says('cam-1', 'status', { groupId: 'north', name: 'Door', model: 'P1465', firmware: '11.9' });
  await passes(60);
  await says('cam-1', 'connection', { status: 'offline', connectedAt, reason: 'keepalive' });
  await passes(400);
  const again = world.now();
  await says('cam-1', 'connection', { status: 'online', connectedAt: again });
  await says('cam-1', 'status', {});
  for (let times = 0; times < 4; times += 1) {
    await passes(120);
    await says('cam-1', 'connection', { status: 'offline' });
    await passes(310);
    await says('cam-1', 'connection', { status: 'online', connectedAt: world.now() });
  }
  await passes(3600);
  await says('cam-1', 'status', { mqtt: { reconnectAttempts: 3 } });
  await passes(60);
  await says('cam-1', 'status', { mqtt: { reconnectAttempts: 7 } });
  await passes(3700);
  await says('cam-1', 'status', { mqtt: { reconnectAttempts: 0 } });
  await expect(text()).toMatchFileSnapshot('connections.txt');
});

test('drifts that heal, that stay, and conflicts', async () => {
  const { world, says, passes, text } = createChronicle();
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  const guards = (kind: 'drift' | 'heal' | 'conflict', ...fields: string[]) =>
    says('cam-1', 'guardian', guardianAlert(kind, fields, world.now()));
  await says('cam-1', 'status', { groupId: 'north' });
  await guards('drift', 'clientId');
  await passes(20);
  await guards('heal', 'clientId');
  await passes(600);
  await guards('drift', 'brokerHost', 'port');
  await passes(700);
  for (let times = 0; times < 3; times += 1) {
    await guards('drift', 'brokerHost', 'port');
    await passes(60);
  }
  await guards('heal', 'brokerHost', 'port');
  for (let times = 0; times < 3; times += 1) {
    await passes(60);
    await guards('conflict', 'clientId');
  }
  await says('cam-1', 'guardian', { ...guardianAlert('drift', ['topic'], world.now()), action: 'ALERT_ONLY' });
  await passes(25 * 3600);
  await expect(text()).toMatchFileSnapshot('drifts.txt');
});
