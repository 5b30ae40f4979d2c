import { createRandom } from '../world/random.ts';

/** A planned status report. It is sent `copies` times, each copy with a delay from the start of its step. */
export type PlannedReport = { seq: number; values: Readings; copyDelaysMs: number[] };
export type Readings = { memory?: number; storage?: number; latency?: number; isCertificateValid?: boolean };
export type ActedCode = 'RES_001' | 'RES_003' | 'CONN_003' | 'SEC_001';
export type Step =
  | { kind: 'reports'; reports: PlannedReport[] }
  /** A person acts on the open alert of a code, after everything before has been handled. */
  | { kind: 'action'; code: ActedCode; action: 'acknowledge' | 'resolve' | 'snooze' }
  | { kind: 'detections'; sessions: { id: string; copyDelaysMs: number[] }[] }
  /** An event that itself opens an alert: `config_updated`. */
  | { kind: 'event'; number: number; copyDelaysMs: number[] };
/** The plan of one device. `isInOrder`: its messages have an ordering key, as the bridge sets it; otherwise they can overtake each other. */
export type Life = { deviceId: string; groupId: string; isInOrder: boolean; steps: Step[] };
export const groups = ['group-0', 'group-1', 'group-2', 'group-3'] as const;

type Random = ReturnType<typeof createRandom>;
type Side = 'clear' | 'high' | 'critical';
type Measure = keyof Readings;
type State = { seq: number; sides: Map<Measure, Side>; rises: Map<Measure, number>; acted: Set<Measure> };

const measures: readonly Measure[] = ['memory', 'storage', 'latency', 'isCertificateValid'];
const codeOf: Record<Measure, ActedCode> = {
  memory: 'RES_001',
  storage: 'RES_003',
  latency: 'CONN_003',
  isCertificateValid: 'SEC_001',
};
/** More returns within an hour would make the alert flap, which delays its escalation. */
const mostRises = 3;

/** Lives with about `events` events in total. The same seed gives the same lives. */
export function planLives(seed: number, events: number): Life[] {
  const random = createRandom(seed);
  const lives: Life[] = [];
  for (let count = 0; count < events; count += eventsOf(lives.at(-1))) {
    lives.push(planLife(random, `cam-${String(lives.length).padStart(4, '0')}`));
  }
  return lives;
}

/** Number of reports, detections, actions and `config_updated` events of a life, without copies. */
export function eventsOf(life: Life | undefined): number {
  const sizes = life?.steps.map((step) =>
    step.kind === 'reports' ? step.reports.length : step.kind === 'detections' ? step.sessions.length : 1,
  );
  return sizes?.reduce((sum, size) => sum + size, 0) ?? 0;
}

function planLife(random: Random, deviceId: string): Life {
  const isInOrder = random.chance(0.5);
  const state: State = { seq: 0, sides: new Map(), rises: new Map(), acted: new Set() };
  const steps: Step[] = [];
  const rounds = 2 + random.below(3);
  for (let round = 0; round < rounds; round += 1) {
    steps.push(planReports(random, state, isInOrder));
    if (random.chance(0.5)) {
      const sessions = Array.from({ length: 1 + random.below(2) }, (_, n) => ({
        id: `${deviceId}-${round}-${n}`,
        copyDelaysMs: copies(random),
      }));
      steps.push({ kind: 'detections', sessions });
    }
    if (random.chance(0.2)) steps.push({ kind: 'event', number: round, copyDelaysMs: copies(random) });
    const action = random.chance(0.6) ? planAction(random, state) : null;
    if (action) steps.push(action);
  }
  return { deviceId, groupId: random.pick(groups), isInOrder, steps };
}

/** Within a step each measure stays on one side of its thresholds, so that the order inside the step does not matter. */
function planReports(random: Random, state: State, isInOrder: boolean): Step {
  const notified = measures.filter(() => random.chance(0.5));
  if (notified.length === 0) notified.push(random.pick(measures));
  for (const measure of notified) turn(random, state, measure, isInOrder);
  const reports = Array.from({ length: 1 + random.below(3) }, (_, index) => {
    state.seq += 1;
    const values: Readings = {};
    for (const measure of notified) {
      const side = state.sides.get(measure) ?? 'clear';
      if (measure === 'isCertificateValid') values.isCertificateValid = side === 'clear';
      else values[measure] = readingAt(random, measure, side, isInOrder && index > 0 && random.chance(0.3));
    }
    return { seq: state.seq, values, copyDelaysMs: copies(random) };
  });
  return { kind: 'reports', reports };
}

function turn(random: Random, { sides, rises, acted }: State, measure: Measure, isInOrder: boolean): void {
  const before = sides.get(measure) ?? 'clear';
  const risen = rises.get(measure) ?? 0;
  // If messages can overtake each other, the end between two beginnings may be missed, so nothing begins again after an action.
  const mayRise = risen < mostRises && (isInOrder || !acted.has(measure));
  const rising: Side[] = measure === 'memory' ? ['critical', 'critical', 'high'] : ['critical'];
  const next = mayRise && random.chance(0.65) ? random.pick(rising) : random.chance(0.5) ? 'clear' : before;
  if (next !== 'clear' && next !== before) rises.set(measure, risen + 1);
  sides.set(measure, next);
}

/**
 * `isBetween`: a value that neither begins nor ends the condition. Bad values stay below the second deterioration step: it would reopen an alert that
 * a person resolved, which other simulations test.
 */
function readingAt(random: Random, measure: 'memory' | 'storage' | 'latency', side: Side, isBetween: boolean): number {
  const from = (low: number, high: number) => low + random.below(high - low + 1);
  if (measure === 'memory') {
    if (side === 'critical') return isBetween ? from(86, 90) : from(91, 94);
    if (side === 'high') return isBetween ? from(76, 80) : from(81, 85);
    return from(5, 75);
  }
  if (isBetween) return measure === 'storage' ? from(100, 119) : from(400, 500);
  if (measure === 'storage') return side === 'clear' ? from(120, 4000) : from(51, 99);
  return side === 'clear' ? from(5, 399) : from(501, 999);
}

function planAction(random: Random, { sides, acted }: State): Step | null {
  const open = measures.filter((measure) => sides.get(measure) === 'critical' && !acted.has(measure));
  if (open.length === 0) return null;
  const measure = random.pick(open);
  acted.add(measure);
  const action = random.pick(['acknowledge', 'acknowledge', 'resolve', 'snooze'] as const);
  return { kind: 'action', code: codeOf[measure], action };
}

/** Delays in milliseconds. Three of ten messages are sent more than once, up to five times. One copy of twenty comes after the following messages. */
function copies(random: Random): number[] {
  const count = random.chance(0.3) ? 2 + random.below(4) : 1;
  return Array.from({ length: count }, () => (random.chance(0.05) ? 1000 + random.below(3000) : random.below(300)));
}
