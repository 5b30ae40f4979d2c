import type { LogObjects } from '../../../shared/app/ledger/objects.ts';
import { proveDevice } from '../../../shared/app/ledger/proof.ts';
import { readCheckpointNote, readTile } from '../../../shared/app/ledger/read.ts';
import { reportAvailability } from '../../../shared/app/ledger/report.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ledgerRoutes } from '../../../shared/schema/ledger/routes.ts';
import type { Handlers } from '../handler.ts';

/** A tile that is full never changes. */
const forever = 'private, max-age=31536000, immutable';

export function ledgerHandlers(log: LogObjects | null): Handlers<keyof typeof ledgerRoutes> {
  const kept = (): LogObjects => {
    if (log) return log;
    throw new AppError('not-found', 'No ledger is kept here: LEDGER_BUCKET is not set.');
  };
  return {
    getCheckpoint: async () => {
      const note = await readCheckpointNote(kept());
      return { body: streamOf(note), headers: { 'Content-Type': 'text/plain; charset=utf-8' } };
    },
    getTile: async ({ params }) => {
      const { bytes } = await readTile(kept(), params.tile);
      const headers = { 'Content-Type': 'application/octet-stream', 'Cache-Control': forever };
      return { body: streamOf(bytes), headers };
    },
    getAvailability: async ({ world, bearer, query }) => {
      const report = await reportAvailability(world, log, bearer, query);
      const { format = 'json' } = query;
      if (format === 'json') return { body: report };
      const { renderReport } = await import('../../../shared/adapters/reports/render.ts');
      const { bytes, media } = await renderReport(report, format);
      const name = `availability-${report.from.slice(0, 10)}-${report.to.slice(0, 10)}.${format}`;
      const headers = { 'Content-Type': media, 'Content-Disposition': `attachment; filename="${name}"` };
      return { body: streamOf(bytes), headers };
    },
    getProof: async ({ world, bearer, query }) => ({ body: await proveDevice(world, kept(), bearer, query) }),
  };
}

function streamOf(bytes: Uint8Array): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
