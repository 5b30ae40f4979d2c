import type { ImportAnswer, ImportResult } from '../../../../shared/schema/device/import.ts';
import { call, type Failure, failureFrom } from '../../client/api.ts';
import type { Part } from './import-parts.ts';

/** Progress of an import. `failure`: why it stopped. */
export type Progress = {
  isDryRun: boolean;
  state: 'running' | 'done' | 'cancelled' | 'failed';
  rows: number;
  counts: ImportAnswer['counts'];
  refused: ImportResult[];
  changes: ImportResult[];
  failure: Failure | null;
};

/** Maximum number of lines shown of those refused, and of those created or changed. */
export const maxShown = 200;

const nothing = { created: 0, changed: 0, unchanged: 0, refused: 0 };

/**
 * Sends the parts in order until all are done, one fails or somebody cancels. Imported devices stay, and the same file can be sent again.
 */
export async function runImport(
  parts: readonly Part[],
  isDryRun: boolean,
  signal: AbortSignal,
  show: (progress: Progress) => void,
): Promise<void> {
  let progress: Progress = {
    ...{ isDryRun, state: 'running', rows: 0, counts: nothing, refused: [], changes: [] },
    failure: null,
  };
  show(progress);
  try {
    for (const part of parts) {
      const query = isDryRun ? { dryRun: 'true' } : {};
      const { data } = await call<ImportAnswer>('PUT', '/v1/devices', { query, table: part.table, signal });
      progress = withAnswer(progress, part, data);
      show(progress);
    }
    show({ ...progress, state: 'done' });
  } catch (error) {
    if (signal.aborted) show({ ...progress, state: 'cancelled' });
    else show({ ...progress, state: 'failed', failure: failureFrom(error) });
  }
}

function withAnswer(before: Progress, { rows, offset }: Part, { results, counts }: ImportAnswer): Progress {
  const placed = results.map((result) => ({ ...result, line: result.line + offset }));
  const of = (...outcomes: ImportResult['outcome'][]) => placed.filter(({ outcome }) => outcomes.includes(outcome));
  return {
    ...before,
    rows: before.rows + rows,
    counts: {
      created: before.counts.created + counts.created,
      changed: before.counts.changed + counts.changed,
      unchanged: before.counts.unchanged + counts.unchanged,
      refused: before.counts.refused + counts.refused,
    },
    refused: [...before.refused, ...of('refused')].slice(0, maxShown),
    changes: [...before.changes, ...of('created', 'changed')].slice(0, maxShown),
  };
}
