import type { ActedCode, Life, Readings, Step } from './life.ts';

/** The expected alerts of a life with one code, derived from the documentation of behaviour and not from the code. `resolved`: none may be open. */
export type Expected = {
  code: ActedCode | 'RES_002';
  status: 'escalated' | 'acknowledged' | 'resolved';
  /** Number of alerts: a return within ten minutes continues an alert. After a person resolved one, only a new beginning opens another. */
  alerts: number;
  /** False: messages can overtake each other, so an alert that began and ended may not exist. */
  isSure: boolean;
  action: Extract<Step, { kind: 'action' }>['action'] | null;
};

/** `isTaken`: a person had acknowledged it when it ended. */
type Condition = {
  status: 'none' | 'active' | 'acknowledged' | 'ended' | 'muted' | 'done';
  alerts: number;
  isTaken?: boolean;
};
type Levels = { memory: 'normal' | 'high' | 'critical'; storage: boolean; latency: boolean; certificate: boolean };

const codes = ['RES_001', 'RES_002', 'RES_003', 'CONN_003', 'SEC_001'] as const;

/** All alerts of a life after the response times have passed: unacknowledged ones are escalated. */
export function expectedOf({ steps, isInOrder }: Life): Expected[] {
  const conditions = new Map(codes.map((code) => [code, { status: 'none', alerts: 0 } as Condition]));
  const actions = new Map<string, Expected['action']>();
  let levels: Levels = { memory: 'normal', storage: false, latency: false, certificate: false };
  for (const step of steps) {
    if (step.kind === 'reports') {
      for (const { values } of step.reports) {
        levels = levelsAfter(levels, values);
        for (const code of codes) conditions.set(code, seen(conditions.get(code), holds(code, levels)));
      }
    }
    if (step.kind === 'action') {
      actions.set(step.code, step.action);
      conditions.set(step.code, acted(conditions.get(step.code), step.action));
    }
  }
  return codes.flatMap((code) => {
    const { status, alerts } = conditions.get(code) ?? fresh;
    if (status === 'none') return [];
    const wire = status === 'active' ? 'escalated' : status === 'acknowledged' ? 'acknowledged' : 'resolved';
    const action = actions.get(code) ?? null;
    return [{ code, status: wire, alerts, isSure: isInOrder || wire !== 'resolved' || action !== null, action }];
  });
}

const fresh: Condition = { status: 'none', alerts: 0 };

/** The catalogue's thresholds for begin and end: 90/85 % and 80/75 %, 100/120 MB, 500/400 ms. */
function levelsAfter(before: Levels, { memory, storage, latency, isCertificateValid }: Readings): Levels {
  const after = { ...before };
  if (memory !== undefined) {
    if (memory > 90 || (before.memory === 'critical' && memory > 85)) after.memory = 'critical';
    else after.memory = memory > 80 || (before.memory === 'high' && memory > 75) ? 'high' : 'normal';
  }
  if (storage !== undefined) after.storage = storage < 100 || (before.storage && storage < 120);
  if (latency !== undefined) after.latency = latency > 500 || (before.latency && latency >= 400);
  if (isCertificateValid !== undefined) after.certificate = !isCertificateValid;
  return after;
}

function holds(code: (typeof codes)[number], levels: Levels): boolean {
  if (code === 'RES_001') return levels.memory === 'critical';
  if (code === 'RES_002') return levels.memory === 'high';
  return { RES_003: levels.storage, CONN_003: levels.latency, SEC_001: levels.certificate }[code];
}

/**
 * A return within ten minutes continues the alert with its acknowledgement. `muted`: a person resolved it while its condition held. After the
 * condition has ended (`done`), its return opens a new alert.
 */
function seen({ status, alerts, isTaken }: Condition = fresh, isHolding: boolean): Condition {
  if (isHolding) {
    if (status === 'none' || status === 'done') return { status: 'active', alerts: alerts + 1 };
    if (status === 'ended' && isTaken) return { status: 'acknowledged', alerts };
    return { status: status === 'ended' ? 'active' : status, alerts };
  }
  if (status === 'active' || status === 'acknowledged') {
    return { status: 'ended', alerts, isTaken: status === 'acknowledged' };
  }
  if (status === 'muted') return { status: 'done', alerts };
  return isTaken === undefined ? { status, alerts } : { status, alerts, isTaken };
}

function acted({ status, alerts }: Condition = fresh, action: Expected['action']): Condition {
  if (status !== 'active') throw new Error('a plan acts on what is not active');
  // A snooze only delays the escalation.
  if (action === 'snooze') return { status, alerts };
  return { status: action === 'acknowledge' ? 'acknowledged' : 'muted', alerts };
}
