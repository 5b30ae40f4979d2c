import type { EscalationPolicy, EscalationStep } from '../../schema/settings/escalation.ts';
import type { Life } from '../alert/alert.ts';
import type { Waits } from '../limits.ts';
import { type Ladder, type LadderStep, type NextStep, nextStep, repeatAt } from '../settings/escalation.ts';
import { onCallAt } from '../settings/on-call.ts';
import { defaultPolicy, defaultRepeatMinutes, operationsTeam } from '../settings/settings.ts';
import { type Instant, plus, spell } from '../time.ts';
import type { Configuration } from './configuration.ts';
import { contactsOfTeam, openingTeam, type TeamRecord, unreachable } from './team.ts';

/** The configuration that decides whom an escalation notifies. */
export type Policies = Pick<Configuration, 'teams' | 'settings'>;

/**
 * The steps of an alert's escalation: those of the team that was notified of its opening, or that a rule escalates it to; otherwise those of the
 * settings.
 * @param at when a step is taken, to find who is on call
 */
export function ladderOf(
  alert: Pick<Life, 'notifiedTeam' | 'escalation'>,
  policies: Policies,
  at: Instant,
  waits: Waits,
): Ladder {
  const { teams, settings } = policies;
  const ruled = alert.escalation?.team ?? null;
  const opened = openingTeam(alert, teams);
  const own = teams.get(ruled ?? opened)?.escalation;
  const { steps, repeatMinutes = defaultRepeatMinutes } = own ?? settings.escalation ?? defaultPolicy;
  // The team that the rule names comes first. Later steps follow only from that team's own policy.
  const [first, ...more]: EscalationPolicy['steps'] =
    ruled === null ? steps : [{ afterMinutes: 0, team: ruled }, ...(own ? steps.slice(1) : [])];
  const minuteMs = 60 * waits.settingsSecond;
  const given = { opened, home: ruled ?? opened, policies, at };
  const resolved = (step: EscalationStep): LadderStep => ({
    ...reached(step, given),
    afterMs: step.afterMinutes * minuteMs,
    channels: step.channels ?? [],
  });
  return {
    steps: [resolved(first ?? { afterMinutes: 0, escalationTeam: true }), ...more.map(resolved)],
    repeatMs: repeatMinutes * minuteMs,
  };
}

/** @param opened the team that was notified of the opening; `home`: the team whose people a policy names */
type LadderContext = { opened: string; home: string; policies: Policies; at: Instant };
type StepReceiver = Pick<LadderStep, 'team' | 'to' | 'people' | 'missing'>;

function reached(
  { team, personId, onCall }: EscalationStep,
  { opened, home, policies, at }: LadderContext,
): StepReceiver {
  const { teams, settings } = policies;
  if (personId !== undefined)
    return ofPeople(teams.get(home), [personId], '', `There is no person ${personId} in ${home}`);
  if (onCall !== undefined) {
    const own = teams.get(home);
    const people = (own?.rotations ?? []).flatMap((rotation) => onCallAt(rotation, at) ?? []);
    return ofPeople(own, [...new Set(people)], ' (on call)', nobodyOnCall(home));
  }
  const named = team ?? otherThan(opened, settings.escalationTeam, teams);
  if (named === operationsTeam || contactsOfTeam(teams, named).length > 0)
    return { team: named, to: named, people: [], missing: null };
  return instead(unreachable(teams, named), '');
}

/** The note that a step found nobody on call. */
function nobodyOnCall(team: string): string {
  return `Nobody is on call in ${team}`;
}

function ofPeople(team: TeamRecord | undefined, ids: readonly string[], how: string, missing: string): StepReceiver {
  const people = ids.flatMap((id) => team?.people?.find(({ personId }) => personId === id) ?? []);
  if (!team || people.length === 0)
    return instead(missing, `, because ${missing[0]?.toLowerCase()}${missing.slice(1)}`);
  const to = `${people.map(({ name }) => name).join(' and ')}${how}`;
  return { team: team.name, to, people: people.map(({ personId }) => personId), missing: null };
}

/** A step that reaches nobody notifies `operations`: the wrong people are better than nobody. */
function instead(missing: string, because: string): StepReceiver {
  return { team: operationsTeam, to: `${operationsTeam}${because}`, people: [], missing };
}

/** The team that the settings name. If that one was notified already: the first other team that can be reached. */
function otherThan(opened: string, wanted: string, teams: Policies['teams']): string {
  if (wanted !== opened) return wanted;
  const others = [operationsTeam, ...[...teams.keys()].toSorted()].filter((name) => name !== opened);
  return others.find((name) => contactsOfTeam(teams, name).length > 0) ?? wanted;
}

/** What happens next without an action by a person. */
type Next = { at: Instant; what: string };

/** What happens next without an action by a person, soonest first: each remaining step with its receivers, and the reminders. */
export function nextOf(alert: Life, policies: Policies, waits: Waits): Next[] {
  const clocks: [Instant | null, string][] = [
    [alert.snoozedUntil, 'The snooze ends: one reminder is sent and the response time starts again'],
    [
      alert.maintenanceUntil,
      'The maintenance ends: people are notified of what is open then, and the response time starts',
    ],
    [alert.quietUntil ?? null, 'The quiet hours end: people are notified if it is still true'],
    [alert.notifyAfter, 'People are notified if the condition still holds'],
  ];
  const others = clocks.flatMap(([at, what]) => (at === null ? [] : [{ at, what }]));
  const all = [...others, ...stepsAhead(alert, policies, waits)];
  return all.toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/** The step after the present one of an escalation. Null: the present one is the last, or the next is due already. */
export function comingStep(alert: Life, policies: Policies, now: Instant, waits: Waits): NextStep | null {
  const { status, remindAt: at } = alert;
  if (status !== 'escalated' || at === null || at <= now) return null;
  const ladder = ladderOf(alert, policies, at, waits);
  const { index, isRepeat } = nextStep(alert, ladder);
  const step = ladder.steps[index];
  return isRepeat || !step ? null : { at, to: step.to };
}

/** The receivers of each step, with the person on call at that time as far as it is known now. */
function stepsAhead(alert: Life, policies: Policies, waits: Waits): Next[] {
  const begins = alert.status === 'escalated' ? alert.remindAt : alert.respondBy;
  if (begins === null) return [];
  const at = (instant: Instant) => ladderOf(alert, policies, instant, waits);
  const ladder = at(begins);
  const { index: first, isRepeat } = nextStep(alert, ladder);
  const since = ladder.steps[first]?.afterMs ?? 0;
  const steps = isRepeat ? [] : ladder.steps.slice(first);
  const ahead = steps.map(({ afterMs }, count): Next => {
    const instant = plus(begins, afterMs - since);
    return { at: instant, what: `Nobody answers: escalated to ${stepText(at(instant), first + count)}` };
  });
  const repeated = isRepeat ? begins : repeatAt(ladder, ahead.at(-1)?.at ?? begins, ladder.repeatMs);
  const then = `from then on every ${spell(ladder.repeatMs)}, after ${spell(waits.reminderLater)} every ${spell(Math.max(ladder.repeatMs, waits.reminderLater))}`;
  const last = at(repeated).steps.at(-1);
  return [...ahead, { at: repeated, what: `Nobody answers: reminder to ${last?.to}, ${then}` }];
}

function stepText({ steps }: Ladder, index: number): string {
  const to = steps[index]?.to ?? '';
  return steps.length > 1 ? `${to} (step ${index + 1} of ${steps.length})` : to;
}
