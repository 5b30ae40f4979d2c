import { randomUUID } from 'node:crypto';
import type { LogObjects } from '../../../shared/app/ledger/objects.ts';
import { proveDevice } from '../../../shared/app/ledger/proof.ts';
import { checkpointText, readCheckpointNote, readTile } from '../../../shared/app/ledger/read.ts';
import { reportAvailability } from '../../../shared/app/ledger/report.ts';
import {
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  putSchedule,
  type VersionedSchedule,
} from '../../../shared/app/reports/schedules.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ledgerRoutes } from '../../../shared/schema/ledger/routes.ts';
import { created, type Handlers, versioned } from '../handler.ts';

/** A tile never changes, not even a partial one: its path contains the number of its hashes. */
const forever = 'private, max-age=31536000, immutable';

export function ledgerHandlers(log: LogObjects | null): Handlers<keyof typeof ledgerRoutes> {
  const kept = (): LogObjects => {
    if (log) return log;
    throw new AppError('not-found', 'This deployment has no ledger: LEDGER_BUCKET is not set.');
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
      const report = await reportAvailability(world, await checkpointText(log), bearer, query);
      const { format = 'json' } = query;
      if (format === 'json') return { body: report };
      const { renderReport } = await import('../../../shared/adapters/reports/render.ts');
      const { bytes, media } = await renderReport(report, format);
      const name = `availability-${report.from.slice(0, 10)}-${report.to.slice(0, 10)}.${format}`;
      const headers = { 'Content-Type': media, 'Content-Disposition': `attachment; filename="${name}"` };
      return { body: streamOf(bytes), headers };
    },
    listReportSchedules: async ({ world, bearer }) => ({ body: await listSchedules(world, bearer) }),
    createReportSchedule: async ({ world, body, bearer }) => {
      const { schedule, version } = await createSchedule(world, bearer, body, randomUUID());
      return created(schedule, version, `/v1/reports/schedules/${schedule.scheduleId}`);
    },
    getReportSchedule: async ({ world, params, bearer }) =>
      ofSchedule(await getSchedule(world, bearer, params.scheduleId)),
    putReportSchedule: async ({ world, params, body, bearer, ifVersion }) =>
      ofSchedule(await putSchedule(world, bearer, params.scheduleId, body, ifVersion)),
    deleteReportSchedule: async ({ world, params, bearer, ifVersion }) => {
      await deleteSchedule(world, bearer, params.scheduleId, ifVersion);
      return { body: null };
    },
    getProof: async ({ world, bearer, query }) => ({ body: await proveDevice(world, kept(), bearer, query) }),
  };
}

function ofSchedule({ schedule, version }: VersionedSchedule) {
  return versioned(schedule, version);
}

function streamOf(bytes: Uint8Array): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
