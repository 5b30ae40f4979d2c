import { clockAt, clockSlack } from './clock.ts';
import { settled } from './goals.ts';
import { type Finding, seconds } from './letters.ts';
import { type Lived, nightBegins } from './live.ts';
import type { Thing } from './reader.ts';
import type { Script } from './script.ts';
import type { Truth } from './truth.ts';

type Body = {
  eventType?: string;
  timestamp?: string;
  change?: string;
  incident?: { incidentId: string; scope: { id: string } | null; groups: string[]; startedAt: string };
  alert?: { alertId: string; deviceId: string; groupId: string };
  dedup_key?: string;
  event_action?: string;
  payload?: { component?: string; source?: string };
};

/** Events of endpoints and hand-offs: nothing of other groups, true beginnings, and an end for each beginning. */
export function judgeCalls(
  script: Script,
  truth: Truth,
  { calls }: Lived,
  things: ReadonlyMap<string, Thing>,
): Finding[] {
  const findings: Finding[] = [];
  for (const [to, own] of Map.groupBy(calls, (call) => call.to)) {
    const team = script.teams.find(({ name }) => to.includes(`${name}.hooks`));
    const open = new Map<string, { second: number; thing: Thing | null; body: Body }>();
    for (const { second, body } of own.toSorted(inTheirOrder)) {
      const note = (claim: string, isTrue: string) =>
        findings.push({ kind: 'event', second, to, claim, truth: isTrue, text: JSON.stringify(body).slice(0, 600) });
      const shape = shapeOf(body, things);
      if (shape === null) continue;
      const { key, change, thing, groups, startedAt } = shape;
      if (change === 'resolved' || change === 'resolve') open.delete(key);
      else if (['opened', 'reopened', 'trigger'].includes(change)) open.set(key, { second, thing, body });
      if (team?.groups && groups.some((group) => !team.groups?.includes(group)))
        note(`${change} for ${groups}`, `${team.name} may see only ${team.groups}`);
      if (thing?.is === 'place' && startedAt !== null && change === 'opened') {
        const whole = truth.wholesOf(thing).findLast(({ began }) => began.from <= second);
        if (!whole || startedAt < whole.began.from - clockSlack || startedAt > whole.began.to + clockSlack)
          note(
            `${thing.name} since ${clockAt(startedAt)}`,
            whole ? `dark since ${clockAt(whole.began.from)}` : 'never dark',
          );
      }
    }
    for (const { second, thing, body } of open.values()) {
      if (!thing || second > script.seconds - settled) continue;
      const isOver =
        thing.is === 'place'
          ? seconds(script.seconds, settled).every(
              (at) => truth.darkAt(thing, at).length <= truth.members(thing).length / 10,
            )
          : seconds(script.seconds, settled).every((at) => !truth.isDark(thing.id, at)) &&
            truth.troublesOf(thing.id).length === 0;
      if (isOver)
        findings.push({
          kind: 'event',
          second,
          to,
          claim: `${thing.name} opened, never resolved`,
          truth: 'it is over',
          text: JSON.stringify(body).slice(0, 600),
        });
    }
  }
  return findings;
}

/** Events may arrive in another order than they were made; their own time shows it. */
function inTheirOrder(one: { second: number; body: Body }, other: { second: number; body: Body }): number {
  const madeAt = ({ body, second }: typeof one) => Date.parse(body.timestamp ?? '') || second;
  const isEnd = ({ body }: typeof one) =>
    Number(['resolved', 'resolve'].includes(body.change ?? body.event_action ?? ''));
  return madeAt(one) - madeAt(other) || isEnd(one) - isEnd(other) || one.second - other.second;
}

type Shape = {
  key: string;
  change: string;
  thing: Thing | null;
  groups: string[];
  startedAt: number | null;
};

/** What an event says, whatever system it is for. Null: nothing of cameras. */
function shapeOf({ incident, alert, change = '', ...handoff }: Body, things: ReadonlyMap<string, Thing>): Shape | null {
  const thingOf = (id = '') => things.get(id) ?? null;
  if (incident) {
    const { incidentId: key, scope, groups, startedAt } = incident;
    return { key, change, thing: thingOf(scope?.id), groups, startedAt: (Date.parse(startedAt) - nightBegins) / 1000 };
  }
  if (alert) {
    const { alertId: key, deviceId, groupId } = alert;
    return { key, change, thing: thingOf(deviceId), groups: [groupId], startedAt: null };
  }
  const { dedup_key: key, event_action: action = '', payload } = handoff;
  if (key === undefined) return null;
  return { key, change: action, thing: thingOf(payload?.component ?? payload?.source), groups: [], startedAt: null };
}
