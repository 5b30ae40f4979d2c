import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import { severities } from '../../../shared/schema/vocabulary.ts';
import type { Command } from '../command.ts';

function statusLines({ devices, platform, reach, alerts }: Schemas['Fleet']): string[] {
  const { total, online, offline, unknown, neverSeen, onlinePercent } = devices;
  const never = neverSeen === 0 ? '' : `, ${neverSeen} never seen`;
  const percent = onlinePercent === null ? '' : ` (${onlinePercent} %)`;
  const broken = platform.ways.filter(({ state }) => state !== 'sees').map(({ name, state }) => `${name} ${state}`);
  const open = severities.map((severity) => `${alerts.open[severity]} ${severity}`).join(', ');
  const last = severities.map((severity) => `${alerts.last24h[severity]} ${severity}`).join(', ');
  return [
    `Devices: ${total}: ${online ?? 'an unknown number'} online${percent}, ${offline} offline, ${unknown} unknown${never}.`,
    `Open alerts: ${open}. In the last 24 h: ${last}.`,
    `The platform ${platform.state}${platform.since === null ? '' : ` since ${platform.since}`}${broken.length === 0 ? '' : `: ${broken.join(', ')}`}. Last report: ${platform.lastReportAt ?? 'none'}.`,
    ...(platform.drill === null ? [] : [`Hourly drill: ${platform.drill.state} since ${platform.drill.since}.`]),
    reach.contacts
      ? 'Somebody would be notified of an alert.'
      : 'Nobody would be notified of an alert: no team has a contact.',
  ];
}

export const statusCommands: readonly Command[] = [
  {
    name: 'status',
    about: 'says how the fleet and the platform are',
    async run({ client, print, terminal }) {
      const { data } = await client().call('getFleet', { signal: terminal.signal });
      print.sentences(data, statusLines(data));
      return true;
    },
  },
];
