import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import type { Command } from '../command.ts';
import { withoutGaps } from './records.ts';

type Shift = Schemas['Shift'];
type Item = Shift['items'][number];

const headings = {
  unanswered: 'Nobody has',
  'in-hand': 'In hand',
  snoozed: 'Snoozed',
  maintenance: 'In maintenance',
} as const;

function shiftLines({ at, generatedAt, items, rest, heldBack, channels, endpoints, onCall }: Shift): string[] {
  return [
    at === generatedAt ? `Hand-over at ${at}.` : `Hand-over at ${at}, as of ${generatedAt}.`,
    ...Object.entries(headings).flatMap(([state, heading]) =>
      section(
        heading,
        items.filter((item) => item.state === state),
      ),
    ),
    ...(rest > 0 ? [`${rest} more, less urgent: watchpost alerts list.`] : []),
    ...(heldBack ?? []).map(
      ({ target, until }) => `Held back: SMS to ${target} until ${until}, its budget is used up.`,
    ),
    ...channels.flatMap(channelLines),
    ...endpoints.map(endpointLine),
    ...(onCall ?? []).flatMap(({ team, rotations }) =>
      rotations.map(
        ({ now, next }) => `On call in ${team}: ${turn(now)}${next ? `; from ${next.from} ${turn(next)}` : ''}.`,
      ),
    ),
  ];
}

function channelLines({ channel, failingSince, detail, receivers }: Shift['channels'][number]): string[] {
  const whole =
    failingSince === null ? [] : [`Does not get through: ${channel} since ${failingSince}. ${detail ?? ''}`];
  const single = receivers.map(
    ({ name, failingSince: since }) => `Does not get through: ${channel} to ${name} since ${since}.`,
  );
  return [...whole, ...single];
}

function endpointLine({ webhookId, host, state, since, reason }: Shift['endpoints'][number]): string {
  return `Does not get through: webhook ${webhookId} at ${host}, ${state}, since ${since}. ${reason ?? ''}`.trimEnd();
}

function section(heading: string, items: readonly Item[]): string[] {
  return [`${heading}: ${items.length === 0 ? 'nothing' : items.length}.`, ...items.map(itemLine)];
}

function itemLine(item: Item): string {
  const { id, severity, code, kind, title, groups, site, deviceId, deviceName, startedAt } = item;
  const where = [deviceName ?? deviceId, site ?? groups.join(', ')].filter(Boolean).join(', ');
  return `- ${id} ${severity} ${code ?? kind} ${where}: ${title}, since ${startedAt}${whose(item)}`;
}

/** Whoever has it, or what keeps it silent. */
function whose({
  state,
  acknowledgedBy,
  acknowledgedAt,
  team,
  snoozedUntil,
  maintenanceUntil,
  respondBy,
  heldUntil,
}: Item): string {
  const silent = heldUntil === null ? '' : `, quiet hours hold back its message until ${heldUntil}`;
  if (state === 'maintenance') return maintenanceUntil === null ? '' : `, until ${maintenanceUntil}`;
  if (state === 'snoozed') return `, until ${snoozedUntil}`;
  if (state === 'in-hand') return `, ${acknowledgedBy ?? 'somebody'} has it since ${acknowledgedAt}`;
  if (team !== null) return `, escalated to ${team}${silent}`;
  return respondBy === null ? silent : `, escalates at ${respondBy}${silent}`;
}

function turn(of: { name: string } | null): string {
  return of?.name ?? 'nobody';
}

export const shiftCommands: readonly Command[] = [
  {
    name: 'shift',
    about: 'shows the sheet of a hand-over: what is open, in whose hands, what is silent and until when',
    flags: { at: { about: 'the hand-over, as 18:00 (now)', value: 'TIME', time: 'next', member: 'at' } },
    async run({ client, print, flags, terminal }) {
      const query = withoutGaps({ at: flags.text('at') });
      const { data } = await client().call('getShift', { query, signal: terminal.signal });
      print.sentences(data, shiftLines(data));
      return true;
    },
  },
];
