import { clockAt, clockSlack } from './clock.ts';
import { isOver } from './goals.ts';
import type { Finding } from './letters.ts';
import { type Call, type Lived, nightBegins } from './live.ts';
import type { Thing } from './reader.ts';
import type { Script } from './script.ts';
import type { Truth } from './truth.ts';

/** The parts of a request's body that are read. */
type Body = {
  eventType?: string;
  timestamp?: string;
  change?: string;
  incident?: { incidentId: string; scope: { id: string } | null; groups: string[]; startedAt: string };
  alert?: { alertId: string; deviceId: string; groupId: string; code?: string };
  dedup_key?: string;
  event_action?: string;
  payload?: { component?: string; source?: string; class?: string };
};

/** Events of endpoints and hand-offs: nothing of other groups, true beginnings, and an end for each beginning. */
export function judgeCalls(
  script: Script,
  truth: Truth,
  { calls }: Lived,
  things: ReadonlyMap<string, Thing>,
): Finding[] {
  return [...Map.groupBy(calls, (call) => call.to)].flatMap(([to, own]) => {
    const note = ({ second, body }: Call, claim: string, isTrue: string): Finding => {
      return { kind: 'event', second, to, claim, truth: isTrue, text: JSON.stringify(body).slice(0, 600) };
    };
    const wrong = own.flatMap((call) =>
      wrongIn(call, script, truth, things).map(([claim, real]) => note(call, claim, real)),
    );
    // Who takes them as they come, and who sorts them by their own time, may know different ends. Only what neither of them knows is missing.
    const arrived = openAfter(
      own.toSorted((a, b) => a.second - b.second),
      things,
    );
    const sorted = openAfter(own.toSorted(inTheirOrder), things);
    const open = [...arrived].filter(([key]) => sorted.has(key)).map(([, each]) => each);
    const unended = open.filter(
      ({ thing, trouble, call }) => thing && isOver({ thing, trouble, second: call.second }, script, truth),
    );
    return [
      ...wrong,
      ...unended.map(({ call, thing }) => note(call, `${thing?.name} opened, never resolved`, 'it is over')),
    ];
  });
}

function openAfter(calls: readonly Call[], things: ReadonlyMap<string, Thing>) {
  const open = new Map<string, Pick<Shape, 'thing' | 'trouble'> & { call: Call }>();
  for (const call of calls) {
    const shape = shapeOf(call.body, things);
    if (shape === null) continue;
    const { key, change, thing, trouble } = shape;
    if (change === 'resolved' || change === 'resolve') open.delete(key);
    else if (['opened', 'reopened', 'trigger'].includes(change)) open.set(key, { thing, trouble, call });
  }
  return open;
}

function wrongIn(
  { second, to, body }: Call,
  script: Script,
  truth: Truth,
  things: ReadonlyMap<string, Thing>,
): [claim: string, truth: string][] {
  const shape = shapeOf(body, things);
  if (shape === null) return [];
  const { change, thing, groups, startedAt } = shape;
  const team = script.teams.find(({ name }) => to.includes(`${name}.hooks`));
  const wrong: [string, string][] = [];
  if (team?.groups && groups.some((group) => !team.groups?.includes(group)))
    wrong.push([`${change} for ${groups}`, `${team.name} may see only ${team.groups}`]);
  if (thing?.is !== 'place' || startedAt === null || change !== 'opened') return wrong;
  const whole = truth.wholesOf(thing).findLast(({ began }) => began.from <= second);
  const isTrue = whole && startedAt >= whole.began.from - clockSlack && startedAt <= whole.began.to + clockSlack;
  const real = whole ? `dark since ${clockAt(whole.began.from)}` : 'never dark';
  return isTrue ? wrong : [...wrong, [`${thing.name} since ${clockAt(startedAt)}`, real]];
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
  trouble: string | null;
  groups: string[];
  startedAt: number | null;
};

/** What an event says, whatever system it is for. Null: nothing of cameras. */
function shapeOf({ incident, alert, change = '', ...handoff }: Body, things: ReadonlyMap<string, Thing>): Shape | null {
  const thingOf = (id = '') => things.get(id) ?? null;
  if (incident) {
    const { incidentId: key, scope, groups, startedAt } = incident;
    return {
      key,
      change,
      thing: thingOf(scope?.id),
      trouble: null,
      groups,
      startedAt: (Date.parse(startedAt) - nightBegins) / 1000,
    };
  }
  if (alert) {
    const { alertId: key, deviceId, groupId, code } = alert;
    return { key, change, thing: thingOf(deviceId), trouble: troubleOf(code), groups: [groupId], startedAt: null };
  }
  const { dedup_key: key, event_action: action = '', payload } = handoff;
  if (key === undefined) return null;
  const thing = thingOf(payload?.component ?? payload?.source);
  return { key, change: action, thing, trouble: troubleOf(payload?.class), groups: [], startedAt: null };
}

/** The catalogue's codes that do not end by themselves within minutes. */
function troubleOf(code: string | undefined): string | null {
  if (code === undefined || code === 'CONN_001') return null;
  if (code === 'CONN_002') return 'unstable';
  return code === 'SEC_002' ? 'broker' : code === 'SEC_004' ? 'sign-ins' : code;
}
