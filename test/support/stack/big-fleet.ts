import { importDevices } from '../../../shared/app/devices/import.ts';
import { handleDue } from '../../../shared/app/due/due.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { lookAtOutages } from '../../../shared/app/outages/look.ts';
import type { Write } from '../../../shared/app/ports.ts';
import { plus } from '../../../shared/domain/time.ts';
import { ana, giveTeam, openTestAlert } from '../records/alerts.ts';
import { message } from '../records/reports.ts';
import { intake } from '../world/ways.ts';
import type { TestWorld } from '../world/world.ts';

/** 2,000 cameras at 60 sites of six groups. `CONSOLE_CAMERAS` sets another number. */
const cameras = Number(process.env['CONSOLE_CAMERAS'] ?? 2000);
const sites = 60;
const groups = 6;
const siteOf = (number: number) => `site-${String(number % sites).padStart(2, '0')}`;
export const groupOf = (number: number) => `region-${(number % sites) % groups}`;
const cameraOf = (number: number) => `cam-${String(number).padStart(4, '0')}`;
const nameOf = (number: number) => `Site ${number % sites} camera ${Math.floor(number / sites) + 1}`;
/** The site that loses its power. */
export const darkSite = siteOf(7);
const numbers = Array.from({ length: cameras }, (_, number) => number);
export const darkCameras = numbers.filter((number) => siteOf(number) === darkSite);

/** The numbers of alerts: of a noisy place, of a second one, single alerts, those that match one filter, and the rest. */
export const amounts = { noisy: 40, second: 30, alone: 10, matching: 2000, rest: 2920 };
export const noisySite = siteOf(12);
export const secondSite = siteOf(18);
const aloneGroup = 'region-1';
export const matchingGroup = 'region-5';

/** Registers every camera as a person does, and marks it as online for a day. */
export async function giveCameras(world: TestWorld): Promise<void> {
  for (let from = 0; from < cameras; from += 250) {
    const some = numbers.slice(from, from + 250);
    const devices = some.map((number) => ({
      deviceId: cameraOf(number),
      groupId: groupOf(number),
      site: siteOf(number),
      name: nameOf(number),
      parents: [{ kind: 'uplink', id: `uplink-${number % sites}` }],
    }));
    await importDevices(world, ana, { devices }, false);
    const set = { isOnline: true, silentAt: plus(world.now(), 24 * 3_600_000), lastSeenAt: world.now() };
    await world.store.commit(
      some.map((number): Write => ({ kind: 'patch', in: 'devices', id: cameraOf(number), set })),
    );
  }
}

/** How long ago the power failed, milliseconds. A loss becomes an alert after five minutes. */
const lostMsAgo = 7 * 60_000;

/** A site loses its power: its cameras connect, and the broker then reports each of them as offline. The service itself finds the outage. */
export async function losePower(world: TestWorld): Promise<void> {
  const then = () => plus(new Date().toISOString(), -lostMsAgo);
  const past = { ...world, now: then };
  for (const number of darkCameras) await report(past, number, { status: 'online', connectedAt: then() });
  for (const number of darkCameras) await report(past, number, { status: 'offline', reason: 'keepalive timeout' });
  for (const number of darkCameras) await handleDue(world, 'devices', cameraOf(number));
  const now = world.now();
  await lookAtOutages(world, { horizonAt: now, state: 'sees', incidentId: null }, plus(now, 45_000));
}

async function report(world: TestWorld, number: number, body: object): Promise<void> {
  const publishTime = world.now();
  await takeMessage(world, message('connection', body as never, { deviceId: cameraOf(number), publishTime }), intake);
}

/** Opens 5,000 alerts through the service's own code. */
export async function giveAlerts(world: TestWorld): Promise<void> {
  const at = (site: string) => numbers.filter((number) => siteOf(number) === site);
  const of = (group: string) => numbers.filter((number) => groupOf(number) === group && siteOf(number) !== darkSite);
  const named = [noisySite, secondSite, darkSite];
  const others = numbers.filter((number) => groupOf(number) !== matchingGroup && !named.includes(siteOf(number)));
  const planned = [
    ...taken(at(noisySite), amounts.noisy).map((number) => alertOf(number, 'RES_002')),
    ...taken(at(secondSite), amounts.second).map((number) => alertOf(number, 'RES_003')),
    ...taken(of(aloneGroup), amounts.alone).map((number) => alertOf(number, 'CFG_003')),
    ...taken(of(matchingGroup), amounts.matching).map((number) => alertOf(number, 'RES_002')),
    ...taken(others, amounts.rest).map((number, index) => alertOf(number, index % 50 === 0 ? 'RES_001' : 'CONN_003')),
  ];
  for (const alert of planned) await openTestAlert(world, alert);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
}

function taken(from: readonly number[], count: number): number[] {
  return Array.from({ length: count }, (_, index) => from[index % from.length] ?? 0);
}

const messages = {
  RES_002: 'Memory usage is at 84 %',
  RES_003: 'Storage is low: 80 MB free',
  CONN_003: 'Latency is high: 700 ms',
  RES_001: 'Memory usage is at 94 %',
  CFG_003: 'Two sources set one value',
  CONN_001: 'MQTT connection lost for more than 5 minutes',
};

/** An alert of a camera, with its name and place. */
export function alertOf(number: number, code: keyof typeof messages) {
  return {
    deviceId: cameraOf(number),
    deviceName: nameOf(number),
    groupId: groupOf(number),
    site: siteOf(number),
    code,
    message: messages[code],
  };
}
