import { importDevices } from '../../../shared/app/devices/import.ts';
import type { Write } from '../../../shared/app/ports.ts';
import { seedIncident } from '../../../shared/domain/incident/incident.ts';
import { plus } from '../../../shared/domain/time.ts';
import { ana, giveTeam, openTestAlert, uuidOf } from '../records/alerts.ts';
import { outageState } from '../records/outages.ts';
import type { TestWorld } from '../world/world.ts';

const sites = ['gbg-central', 'gbg-harbour', 'malmo-north', 'malmo-south', 'lund', 'ystad'] as const;
const camerasOfSite = 30;

const idOf = (site: string, number: number) => `${site}-${String(number).padStart(2, '0')}`;

/**
 * A night with 80 open alerts on 180 cameras at six places: one dark place is an incident with 30 alerts as members, one place is noisy, and ten
 * alerts are single. Two places are quiet.
 */
export async function giveNight(world: TestWorld): Promise<{ incidentId: string; alertIds: string[] }> {
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  for (const site of sites) {
    const devices = Array.from({ length: camerasOfSite }, (_, at) => {
      const deviceId = idOf(site, at + 1);
      return { deviceId, groupId: site.split('-')[0] ?? site, site, name: `${nameOf(site)} ${at + 1}` };
    });
    await importDevices(world, ana, { devices }, false);
    const isOnline = site !== 'gbg-central';
    const set = { wasHeard: true, isOnline, silentAt: isOnline ? plus(world.now(), 3_600_000) : null };
    const here = devices.map(({ deviceId: id }): Write => ({ kind: 'patch', in: 'devices', id, set }));
    await world.store.commit(here);
  }
  const incidentId = uuidOf(750_001);
  const alertIds: string[] = [];
  const open = async (site: string, number: number, code: 'CONN_001' | 'RES_001' | 'RES_002' | 'SEC_003') => {
    const known = { deviceId: idOf(site, number), deviceName: `${nameOf(site)} ${number}`, site };
    const isMember = site === 'gbg-central';
    const alert = { ...known, groupId: site.split('-')[0] ?? site, code, message: messages[code], isMember };
    alertIds.push(await openTestAlert(world, alert));
  };
  for (let number = 1; number <= camerasOfSite; number += 1) await open('gbg-central', number, 'CONN_001');
  for (let number = 1; number <= 20; number += 1) await open('malmo-north', number, 'RES_002');
  for (let number = 1; number <= 20; number += 1) await open('malmo-north', number, 'RES_001');
  for (let number = 1; number <= 6; number += 1) await open('gbg-harbour', number, 'SEC_003');
  for (let number = 1; number <= 4; number += 1) await open('lund', number, 'CONN_001');
  await giveOutage(world, incidentId);
  const members = alertIds.slice(0, camerasOfSite);
  await world.store.commit(members.map((id): Write => ({ kind: 'patch', in: 'alerts', id, set: { incidentId } })));
  return { incidentId, alertIds };
}

const messages = {
  CONN_001: 'MQTT connection lost for more than 5 minutes',
  RES_001: 'Memory usage is at 94 %',
  RES_002: 'Memory usage is at 84 %',
  SEC_003: 'The certificate ends in 5 days',
};

function nameOf(site: string): string {
  return site
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

async function giveOutage(world: TestWorld, incidentId: string): Promise<void> {
  const seed = {
    incidentId,
    kind: 'outage' as const,
    groups: ['gbg'],
    scope: { kind: 'site', id: 'gbg-central', name: 'Gbg Central' },
    title: 'Gbg Central is dark',
    message: '30 of 30 cameras at Gbg Central went dark within 40 s.',
    members: { now: 30, peak: 30, back: 0 },
    evidence: ['30 of 30 cameras at Gbg Central dark within 40 s', '150 of 150 elsewhere report'],
  };
  const at = plus(world.now(), -6 * 60_000);
  const outage = outageState({ from: at, size: camerasOfSite, announcedCount: camerasOfSite });
  const data = { ...seedIncident(seed, 'CRITICAL', at), outage, respondBy: plus(world.now(), 9 * 60_000) };
  await world.store.commit([{ kind: 'create', in: 'incidents', id: incidentId, data }]);
}
