/** How much a run measures: `tiny` shows that it still runs, `quick` fits two minutes in all, `full` is what the scorecard tells. */
export type Size = 'tiny' | 'quick' | 'full';

/** One metric or group of metrics. Floors are measured at every size, peers (other products) only where they are asked for. */
export type Bench = (given: { size: Size; hasPeers: boolean }) => Promise<Row[]>;

export type Figure = { name: string; value: number };

/** One figure of ours beside what it is held against, measured in the same run. */
export type Row = {
  /** Of the scorecard; several rows may share one. */
  id: string;
  what: string;
  unit: string;
  ours: number;
  /** The floor or peer that `ratio` is made with comes first. Empty for a plain count. */
  beside: Figure[];
  ratio: number | null;
  goal: number;
  moonshot: number | null;
  /** What the goal speaks of, and whether it is the most or the least. */
  goalOf: 'ours' | 'ratio';
  sense: 'at most' | 'at least';
  isMet: boolean;
  isMoonshotMet: boolean;
  note: string | null;
};

type Given = Pick<Row, 'id' | 'what' | 'unit' | 'ours' | 'goal'> &
  Partial<Pick<Row, 'beside' | 'moonshot' | 'goalOf' | 'sense' | 'note'>>;

/** Completes a row: the ratio to the first of `beside`, and whether goal and moonshot are met. @throws Error for what is no figure */
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
  const holds = (limit: number) => (sense === 'at most' ? judged <= limit : judged >= limit);
  const verdict = { isMet: holds(given.goal), isMoonshotMet: moonshot !== null && holds(moonshot) };
  return { ...given, beside, ratio, moonshot, goalOf, sense, ...verdict, note };
}
