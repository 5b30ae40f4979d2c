import { afterEach, beforeEach, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { callerOf, connectFleet, until } from '../support/stack/stack.ts';

/** 60 cameras at 6 sites behind 2 uplinks. They report on change only, so that no camera counts as silent when the machine is busy. */
const fleet = Array.from({ length: 60 }, (_, index) => {
  const site = Math.floor(index / 10);
  return {
    deviceId: `cam-${index}`,
    name: `Gate ${index}`,
    groupId: 'north',
    site: `site-${site}`,
    parents: [{ kind: 'uplink', id: `line-${Math.floor(site / 3)}` }],
    reporting: { periodSeconds: 0 },
  };
});
const cut = fleet.filter(({ parents }) => parents[0]?.id === 'line-1');
const stays = cut.slice(-2);
const back = cut.slice(0, -2);

let stack: Stack;
let cameras: ReturnType<typeof connectFleet>;
// A new stack for each try, because a retry must not find the outage of the first try.
beforeEach(async () => {
  // A minute lasts three seconds.
  stack = await startStack({ isEmbedded: missingForEmulators() !== null, timeScale: 20 });
  cameras = connectFleet(stack);
});
afterEach(async () => {
  await cameras?.close();
  await stack?.stop();
});

const say = (devices: typeof fleet, kind: string, body: object) =>
  Promise.all(devices.map(({ deviceId }) => cameras.send(deviceId, kind, body)));

/** The mails that were sent, each as its subject and its text. */
async function mails(): Promise<string[]> {
  const { messages } = await (await fetch(`${stack.run.inboxUrl}/messages`)).json();
  return messages.flatMap(({ kind, subject, text }: { kind: string; subject?: string; text?: string }) =>
    kind === 'email' ? [`${subject}\n${text}`] : [],
  );
}

test('one uplink of two is cut: one incident of 30 cameras, announced once; the two that stay dark afterwards are named and announced', {
  timeout: 480_000,
}, async () => {
  const { call, get } = callerOf(stack);
  expect((await call('PUT', '/v1/teams/operations', { body: { emails: ['ops@example.com'] } })).status).toBe(201);
  const imported = await call('PUT', '/v1/devices', { body: { devices: fleet } });
  expect(imported.body.counts).toMatchObject({ created: 60, refused: 0 });
  await say(fleet, 'status', { memory: { usedPercent: 20 } });
  await until('all report', async () => (await get('/v1/fleet')).body.devices.online === 60);

  await say(cut, 'connection', { status: 'offline' });
  const isWhole = ({ members, scope }: { members: { now: number }; scope: { kind: string } }) =>
    members.now === 30 && scope.kind === 'uplink';
  const found = await until(
    'one incident of all',
    async () => {
      const { incidents } = (await get('/v1/incidents?status=all')).body;
      // A very busy machine handles canaries too late, which opens an incident of another kind.
      const outages = incidents.filter(({ kind }: { kind: string }) => kind === 'outage');
      return outages.some(isWhole) && outages;
    },
    180,
  );
  expect(found).toHaveLength(1);
  const [incident] = found;
  expect(incident).toMatchObject({
    kind: 'outage',
    severity: 'CRITICAL',
    scope: { kind: 'uplink', id: 'line-1' },
    title: 'Outage behind uplink line-1',
    members: { now: 30, peak: 30, back: 0 },
  });
  expect(incident.evidence.join(' ')).toMatch(/30 of 30 cameras behind uplink line-1 dark/);
  const isOpening = (mail: string) => /^\[CRITICAL\] Outage behind uplink line-1(?!:)/.test(mail);
  await until('it is announced', async () => (await mails()).some(isOpening));
  const members = (await get(`/v1/incidents/${incident.incidentId}/alerts?pageSize=100`)).body.alerts;
  expect(members.map(({ deviceId }: { deviceId: string }) => deviceId).toSorted()).toEqual(
    cut.map(({ deviceId }) => deviceId).toSorted(),
  );

  await say(back, 'status', { memory: { usedPercent: 21 } });
  const over = await until(
    'it is over',
    async () => {
      const { body } = await get(`/v1/incidents/${incident.incidentId}`);
      return body.endedAt !== null && body;
    },
    180,
  );
  expect(over).toMatchObject({ status: 'resolved', members: { now: 2, peak: 30, back: 28 } });
  expect(over.message).toMatch(/^28 of 30 back after .*, 2 still dark: /);
  for (const { name } of stays) expect(over.message).toContain(name);
  const isAbout = (mail: string, { deviceId, name }: (typeof fleet)[number]) =>
    new RegExp(`\\b(${deviceId}|${name})\\b`).test(mail);
  const isOfIncident = (mail: string) => mail.includes('Outage behind uplink line-1');
  await until('the cameras that are left are announced', async () => {
    const alone = (await mails()).filter((mail) => !isOfIncident(mail));
    return stays.every((camera) => alone.some((mail) => isAbout(mail, camera)));
  });
  const sent = await mails();
  expect(sent.filter(isOpening)).toHaveLength(1);
  expect(sent.filter((mail) => /^\[CRITICAL\] Outage behind uplink line-1: over/.test(mail))).toHaveLength(1);
  const alone = sent.filter((mail) => !isOfIncident(mail));
  expect(back.filter((camera) => alone.some((mail) => isAbout(mail, camera)))).toEqual([]);
});
