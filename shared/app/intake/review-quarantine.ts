import { isDialect } from '../../domain/intake/dialects.ts';
import { readMessage } from '../../domain/intake/message.ts';
import type { QuarantineRecord } from '../../domain/intake/quarantined.ts';
import { mayUndo, undoFor, undoUntilOf } from '../../domain/undo.ts';
import { AppError, notFound } from '../../errors.ts';
import type { QuarantinedReport } from '../../schema/quarantine/quarantine.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Frames, Stored, World } from '../ports.ts';
import { loadQuarantined, shownReport } from '../quarantine/quarantine.ts';
import { takeReport } from './take-message.ts';

/**
 * Reads a quarantined message again in the dialect of its time. If it can be read now, it is handled like any report, and also registers a
 * device that may not register itself. Otherwise it stays, with the present reasons.
 * @throws AppError `not-found`; `invalid-transition` for a message that was dismissed or whose bytes were truncated
 */
export async function retryQuarantined(
  world: World,
  bearer: Bearer,
  frames: Frames,
  reportId: string,
): Promise<QuarantinedReport> {
  const { record, data: bytes } = await loadQuarantined(world, bearer, reportId);
  if (record.status === 'retried') return shownReport(world, bearer, record);
  if (record.status === 'dismissed') throw refused('A dismissed report cannot be retried.', record);
  if (record.truncated)
    throw refused('The report was too large to be stored completely, so it cannot be retried.', record);
  const { messageId, receivedAt: publishTime, dialect } = record;
  const attributes = JSON.parse(record.attributes);
  const data = Buffer.from(bytes, 'base64');
  const read = readMessage({ messageId, publishTime, attributes, data }, isDialect(dialect) ? dialect : 'native');
  if (read.kind === 'refused') {
    const { reason, errors } = read.refusal;
    return change(world, bearer, reportId, { reason, errors });
  }
  if (read.kind === 'report') {
    const outcome = await takeReport(world, read.report, { autoRegister: true, frames });
    if ('detail' in outcome) {
      return change(world, bearer, reportId, {
        reason: outcome.kind,
        errors: [{ pointer: '', detail: outcome.detail }],
      });
    }
  }
  const { faults = [] } = read.kind === 'report' ? read.report : {};
  return change(world, bearer, reportId, faults.length > 0 ? { errors: [...faults] } : { status: 'retried' });
}

/** Dismisses a quarantined message. @throws AppError `not-found`; `invalid-transition` for one that has become a report */
export async function dismissQuarantined(world: World, bearer: Bearer, reportId: string): Promise<QuarantinedReport> {
  const { data: record } = await load(world, bearer, reportId);
  if (record.status === 'retried') throw refused('The report was retried and has been handled.', record);
  const undo = undoFor(bearer.subject, world.now());
  const dismissed =
    record.status === 'dismissed'
      ? await shownReport(world, bearer, record)
      : await change(world, bearer, reportId, { status: 'dismissed', undo });
  return {
    ...dismissed,
    ...undoUntilOf(record.status === 'dismissed' ? record.undo : undo, bearer.subject, world.now()),
  };
}

/** Undoes a dismissal. @throws AppError `not-found`; `invalid-transition` for another person's dismissal, or after a minute */
export async function restoreQuarantined(world: World, bearer: Bearer, reportId: string): Promise<QuarantinedReport> {
  const { data: record } = await load(world, bearer, reportId);
  if (record.status === 'quarantined') return shownReport(world, bearer, record);
  if (record.status === 'retried' || !mayUndo(record.undo, bearer.subject, world.now())) {
    throw refused('The report cannot be restored: only the person who dismissed it can do that, for 60 s.', record);
  }
  return change(world, bearer, reportId, { status: 'quarantined', undo: null });
}

async function change(
  world: World,
  bearer: Bearer,
  reportId: string,
  changes: Partial<QuarantineRecord>,
): Promise<QuarantinedReport> {
  return decideAndCommit(world, async () => {
    const { data: record, revision } = await load(world, bearer, reportId);
    const data = { ...record, ...changes };
    return {
      writes: [{ kind: 'replace', in: 'quarantine', id: reportId, data, revision }],
      wakes: [],
      answer: await shownReport(world, bearer, data),
    };
  });
}

/** A message that cannot be read belongs to no group, so only a bearer without group limits may see it. */
async function load({ store }: World, { groups }: Bearer, reportId: string): Promise<Stored<'quarantine'>> {
  const [stored = null] = await store.get('quarantine', [reportId]);
  if (!stored || groups !== null) throw notFound(`quarantined report ${reportId}`);
  return stored;
}

function refused(message: string, { status }: Pick<QuarantineRecord, 'status'>): AppError {
  return new AppError('invalid-transition', message, { members: { reportStatus: status } });
}
