/** How much a run measures: `tiny` shows that the bench works, `quick` takes at most two minutes for all benches, `full` is for the scorecard. */
export type Size = 'tiny' | 'quick' | 'full';

/** One metric or group of metrics. Floors are measured at every size, peers (other products) only where they are asked for. */
export type Bench = (given: {
  size: Size;
  hasPeers: boolean;
  /** The folder of another tree of the service, which takes turns with this one. */
  against: string | null;
}) => Promise<Row[]>;

export type Figure = { name: string; value: number };

/** One figure of ours and the figures it is compared with, measured in the same run. */
export type Row = {
  /** The id in the scorecard. Several rows may share one. */
  id: string;
  what: string;
  unit: string;
  ours: number;
  /** Floors and peers. `ratio` is the ratio to the first one. Empty for a plain count. */
  beside: Figure[];
  ratio: number | null;
  /** Null: the row is only measured. */
  goal: number | null;
  moonshot: number | null;
  /** The value that the goal limits, and whether the goal is its maximum or its minimum. */
  goalOf: 'ours' | 'ratio';
  sense: 'at most' | 'at least';
  isMet: boolean;
  isMoonshotMet: boolean;
  note: string | null;
};

export type Given = Pick<Row, 'id' | 'what' | 'unit' | 'ours' | 'goal'> &
  Partial<Pick<Row, 'beside' | 'moonshot' | 'goalOf' | 'sense' | 'note'>>;

/** Completes a row: the ratio to the first of `beside`, and whether goal and moonshot are met. @throws Error if a value is not finite */
export function rowOf({
  beside = [],
  moonshot = null,
  goalOf = 'ours',
  sense = 'at most',
  note = null,
  ...given
}: Given): Row {
  for (const { name, value } of [{ name: given.what, value: given.ours }, ...beside]) {
    if (!Number.isFinite(value)) throw new Error(`${given.id}: ${name} is ${value}`);
  }
  const [first] = beside;
  const ratio = first && first.value !== 0 ? given.ours / first.value : null;
  const judged = goalOf === 'ours' ? given.ours : ratio;
  if (judged === null) throw new Error(`${given.id}: a goal of a ratio needs something beside it`);
  const holds = (limit: number | null) => limit !== null && (sense === 'at most' ? judged <= limit : judged >= limit);
  const verdict = { isMet: holds(given.goal), isMoonshotMet: holds(moonshot) };
  return { ...given, beside, ratio, moonshot, goalOf, sense, ...verdict, note };
}
