import type { Settings } from '../../schema/settings/settings.ts';
import type { Device } from '../device/device.ts';
import { nameOf } from '../device/device.ts';
import { counted } from '../messages/phrases.ts';
import { planOf, type RuleRecord } from '../settings/rules.ts';
import { operationsTeam } from '../settings/settings.ts';
import type { Instant } from '../time.ts';

type UnheardDevice = Pick<Device, 'deviceId' | 'groupId' | 'name' | 'site' | 'tags'>;

/** Names that one digest shows of a site. */
const mostNamed = 5;

/** Who would be notified of the loss of a camera, with the cameras. Where a rule suppresses that, nobody is. */
export function teamsOfUnheard<D extends UnheardDevice>(
  devices: readonly D[],
  rules: readonly RuleRecord[],
  settings: Settings,
  at: Instant,
): Map<string, D[]> {
  const found = devices.flatMap((device) => {
    const subject = { ...device, code: 'CONN_001', severity: 'CRITICAL' } as const;
    const { channelsBy, notifiedTeam } = planOf(rules, settings, subject, at);
    return channelsBy === 'suppressed' ? [] : [{ device, team: notifiedTeam ?? operationsTeam }];
  });
  const byTeam = Map.groupBy(found, ({ team }) => team);
  return new Map([...byTeam].map(([team, some]) => [team, some.map(({ device }) => device)]));
}

/** The digest of cameras that were registered and never heard of, the site with the most first. `isMore`: there are others. */
export function unheardText(devices: readonly UnheardDevice[], isMore: boolean): string {
  const sites = [...Map.groupBy(devices, ({ site, groupId }) => site ?? groupId)].toSorted(
    ([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1),
  );
  const lines = sites.map(([site, some]) => {
    const names = some.map((device) => nameOf(device) ?? device.deviceId).toSorted();
    const rest = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
    return `${site}: ${names.slice(0, mostNamed).join(', ')}${rest}`;
  });
  const [are, have] = devices.length === 1 && !isMore ? ['was', 'has'] : ['were', 'have'];
  const count = `${isMore ? 'At least ' : ''}${counted(devices.length, 'camera')}`;
  return `${count} ${are} registered more than a day ago and ${have} never been heard of. ${lines.join('; ')}.`;
}
