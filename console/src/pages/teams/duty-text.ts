import type { EscalationStep } from '../../../../shared/schema/settings/escalation.ts';
import type { Person, Rotation } from '../../../../shared/schema/settings/on-call.ts';
import type { QuietHours } from '../../../../shared/schema/settings/settings.ts';
import type { Team, TeamContacts } from '../../../../shared/schema/settings/team.ts';
import { type Channel, timedSeverities, weekdays } from '../../../../shared/schema/vocabulary.ts';

/** People, rotations, policy and quiet hours of a team, as lines that a person can edit. */
export type DutyText = { people: string; rotations: string; steps: string; repeatMinutes: string; quiet: string };
/** The parsed lines, and the lines with faults. */
export type DutyRead = {
  duty: Pick<TeamContacts, 'people' | 'rotations' | 'escalation' | 'quietHours'>;
  wrong: string[];
};

const usualRepeat = 30;

export function dutyText({ people = [], rotations = [], escalation, quietHours }: Team): DutyText {
  return {
    people: people
      .map(({ personId, name, email, phone }) => [`${personId}: ${name}`, email, phone].filter(Boolean).join(', '))
      .join('\n'),
    rotations: rotations.map(rotationText).join('\n'),
    steps: (escalation?.steps ?? []).map(stepText).join('\n'),
    repeatMinutes: String(escalation?.repeatMinutes ?? usualRepeat),
    quiet: quietHours ? `${quietHours.schedule} hold ${quietHours.hold.join(', ') || 'nothing'}` : '',
  };
}

/** A step in words: `15 person anna by sms`. */
export function stepText({ afterMinutes, team, personId, onCall, channels }: EscalationStep): string {
  const who = team ? `team ${team}` : personId ? `person ${personId}` : onCall ? 'on call' : 'escalation team';
  return `${afterMinutes} ${who}${channels ? ` by ${channels.join(', ')}` : ''}`;
}

/** @param team its rotations provide what the lines do not show: start times and overrides */
export function dutyOf(text: DutyText, { rotations: before = [] }: Team): DutyRead {
  const people = linesOf(text.people).map((line) => personOf(line) ?? line);
  const rotations = rotationsOf(linesOf(text.rotations), before);
  const steps = linesOf(text.steps).map((line) => stepOf(line) ?? line);
  const right = <T extends object>(list: (T | string)[]) => list.filter((each) => typeof each !== 'string');
  const quiet = linesOf(text.quiet).map((line) => quietOf(line) ?? line);
  const [quietHours] = right(quiet);
  const wrong = [...people, ...rotations, ...steps, ...quiet].filter((each) => typeof each === 'string');
  const escalation = { steps: right(steps), repeatMinutes: Number(text.repeatMinutes) };
  return {
    duty: {
      people: right(people),
      rotations: right(rotations),
      ...(steps.length > 0 ? { escalation } : {}),
      ...(quietHours ? { quietHours } : {}),
    },
    wrong,
  };
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || []);
}

/**
 * `night hold nothing` differs from no line: without a line, the quiet hours of the settings apply. Null: the line has
 * a fault.
 */
function quietOf(line: string): QuietHours | null {
  const [, schedule, held = ''] = /^(\S+) hold ([A-Za-z, ]+)$/.exec(line) ?? [];
  if (!schedule) return null;
  const named = held === 'nothing' ? [] : held.split(',').map((each) => each.trim());
  const hold = timedSeverities.filter((severity) => named.includes(severity));
  return hold.length === named.length ? { schedule, hold } : null;
}

function personOf(line: string): Person | null {
  const [, personId, rest] = /^([^\s:]+):\s*(.+)$/.exec(line) ?? [];
  const [name, ...contacts] = (rest ?? '').split(',').map((part) => part.trim());
  if (!personId || !name) return null;
  const email = contacts.find((contact) => contact.includes('@'));
  const phone = contacts.find((contact) => contact.startsWith('+'));
  return { personId, name, ...(email ? { email } : {}), ...(phone ? { phone } : {}) };
}

function rotationText({ people, handover, timeZone }: Written): string {
  return `${people.join(', ')} from ${handover.weekday} ${handover.time} in ${timeZone}`;
}

/**
 * The rotations of the lines, and lines with faults as they are. A line belongs to the old rotation with the same text. If as many lines as
 * rotations remain, they were edited in place and keep their order. Otherwise lines were added or deleted, and a line belongs to the rotation that
 * is most like it, if they share a person. So stand-ins stay with their rotation.
 */
function rotationsOf(lines: readonly string[], before: readonly Rotation[]): (Rotation | string)[] {
  const rest = [...before];
  const take = (old: Rotation | undefined) => (old ? rest.splice(rest.indexOf(old), 1)[0] : undefined);
  const read = lines.map((line) => rotationOf(line) ?? line);
  const same = read.map((line) => take(rest.find((old) => isSameText(old, line))));
  const isEdited = same.filter((old) => !old).length === rest.length;
  return read.map((line, index) => {
    const old = same[index] ?? take(isEdited ? rest[0] : mostLike(rest, line));
    return typeof line === 'string' ? line : { ...old, ...line };
  });
}

type Written = Pick<Rotation, 'people' | 'handover' | 'timeZone'>;

function isSameText(old: Rotation, line: Written | string): boolean {
  return typeof line !== 'string' && rotationText(old) === rotationText(line);
}

/** The rotation that shares most people with a line; among equals the one with the same time zone, day and time. */
function mostLike(rotations: readonly Rotation[], line: Written | string): Rotation | undefined {
  if (typeof line === 'string') return undefined;
  const shared = ({ people }: Rotation) => people.filter((id) => line.people.includes(id)).length;
  const alike = ({ handover: { weekday, time }, timeZone }: Rotation) =>
    [timeZone === line.timeZone, weekday === line.handover.weekday, time === line.handover.time].filter(Boolean).length;
  const [first] = rotations
    .filter((old) => shared(old) > 0)
    .toSorted((a, b) => shared(b) - shared(a) || alike(b) - alike(a));
  return first;
}

function rotationOf(line: string): Written | null {
  const [, ids, day, time, timeZone] = /^(.+) from (\w{3}) (\d\d:\d\d) in (\S+)$/.exec(line) ?? [];
  const weekday = weekdays.find((each) => each === day);
  if (!ids || !weekday || !time || !timeZone) return null;
  return { people: ids.split(',').map((id) => id.trim()), handover: { weekday, time }, timeZone };
}

function stepOf(line: string): EscalationStep | null {
  const [, minutes, who = '', by] =
    /^(\d+) (.+?)(?: by ((?:email|chat|sms)(?:, *(?:email|chat|sms))*))?$/.exec(line) ?? [];
  const [, kind, name] = /^(team|person) (.+)$/.exec(who) ?? [];
  const target =
    kind && name
      ? kind === 'team'
        ? { team: name }
        : { personId: name }
      : who === 'on call'
        ? { onCall: true as const }
        : who === 'escalation team'
          ? { escalationTeam: true as const }
          : null;
  if (target === null) return null;
  const channels = by?.split(',').map((channel) => channel.trim()) as Exclude<Channel, 'webhook'>[] | undefined;
  return { afterMinutes: Number(minutes), ...target, ...(channels ? { channels } : {}) };
}
