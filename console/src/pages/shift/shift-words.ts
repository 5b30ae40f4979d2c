import type { Shift, ShiftItem } from '../../../../shared/schema/fleet/shift.ts';
import { actorOf } from '../../components/action/trail-words.ts';
import { minuteTime } from '../../format.ts';
import { channelNames } from '../../model.ts';
import { plainText, type Said } from '../../said.ts';

/** The parts of a sheet, in the order in which the next shift must know them. */
export const states: readonly (readonly [state: ShiftItem['state'], title: string])[] = [
  ['unanswered', 'Nobody has it'],
  ['in-hand', 'In hand'],
  ['snoozed', 'Silent for now'],
  ['maintenance', 'In maintenance'],
];

/** The first sentence of a sheet. */
export function headlineOf({ items, rest }: Shift): Said {
  const count = (wanted: ShiftItem['state']) => items.filter(({ state }) => state === wanted).length;
  if (items.length === 0) return { text: 'Nothing is open. There is nothing to hand over.' };
  const parts = { unanswered: count('unanswered'), inHand: count('in-hand'), rest };
  const silent = count('snoozed') + count('maintenance');
  const text = 'Nobody has: {unanswered}. In hand: {inHand}. Silent for now: {silent}.';
  return { text: rest > 0 ? `${text} Less urgent and not listed: {rest}.` : text, parts: { ...parts, silent } };
}

/** In whose hands something is, or until when it is silent. */
export function handsOf(item: ShiftItem): Said {
  const { state, acknowledgedBy, acknowledgedAt, team, respondBy, snoozedUntil, maintenanceUntil } = item;
  if (state === 'maintenance')
    return until('Silent until {until}', 'Silent as long as the window lasts', maintenanceUntil);
  if (state === 'snoozed') return until('Silent until {until}', 'Silent', snoozedUntil);
  if (state === 'in-hand') {
    const parts = { who: acknowledgedBy ? actorOf(acknowledgedBy) : 'Somebody' };
    return until('{who} has it since {until}', '{who} has it', acknowledgedAt, parts);
  }
  if (item.status === 'escalated') {
    return team
      ? { text: 'Escalated to {team}, nobody has it', parts: { team } }
      : { text: 'Escalated, nobody has it' };
  }
  return until('To be answered by {until}', 'Nobody has it', respondBy);
}

function until(text: string, otherwise: string, at: string | null, parts: Record<string, string> = {}): Said {
  return at === null ? { text: otherwise, parts } : { text, parts: { ...parts, until: minuteTime(at) } };
}

/** Where it is, in words. */
export function placeOf({ deviceName, deviceId, site, groups }: ShiftItem): string {
  return [deviceName ?? deviceId, site ?? groups.join(', ')].filter(Boolean).join(', ');
}

/** What people were not told, and of whom the next shift must not think that they know. */
export function untoldOf({ items, heldBack }: Shift): Said[] {
  const held = items.flatMap(({ heldUntil }) => heldUntil ?? []);
  const last = held.toSorted().at(-1);
  return [
    ...(last
      ? [
          {
            text: 'Held back by quiet hours: {count}, the last until {until}.',
            parts: { count: held.length, until: minuteTime(last) },
          },
        ]
      : []),
    ...(heldBack ?? []).map(({ channel, target, until: at }) => ({
      text: '{target} hears of no single alert by {channel} before {until}: the budget of the hour is used up.',
      parts: { target, channel: channelNames[channel], until: minuteTime(at) },
    })),
  ];
}

/** The sheet as text, for a message to the next shift. */
export function textOf(shift: Shift, address: string): string {
  const lines = states.flatMap(([state, title]) => {
    const of = shift.items.filter((item) => item.state === state);
    const rows = of.map((item) => `- ${item.severity} ${item.title}: ${placeOf(item)}. ${plainText(handsOf(item))}.`);
    return rows.length > 0 ? ['', title, ...rows] : [];
  });
  const untold = untoldOf(shift).map(plainText);
  return [plainText(headlineOf(shift)), ...lines, ...(untold.length > 0 ? ['', ...untold] : []), '', address].join(
    '\n',
  );
}
