import { isDialect } from '../../domain/intake/dialects.ts';
import { readMessage } from '../../domain/intake/message.ts';
import { AppError, notFound } from '../../errors.ts';
import type { QuarantinedReport } from '../../schema/quarantine/quarantine.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { takeReport } from '../intake/take-message.ts';
import type { Frames, Stored, World } from '../ports.ts';
import { quarantinedReport } from './quarantine.ts';

/**
 * Reads a quarantined message again, as the bridge of its day wrote it. What can be read by now is handled like any report, and a device
 * that may not register itself is registered by this; what still cannot be read stays, with the reasons of today.
 * @throws AppError `not-found`; `invalid-transition` for one that was dismissed or whose bytes were cut
 */
export async function retryQuarantined(
  world: World,
  bearer: Bearer,
  frames: Frames,
  reportId: string,
): Promise<QuarantinedReport> {
  const { data: record } = await load(world, bearer, reportId);
  if (record.status === 'retried') return quarantinedReport(record);
  if (record.status === 'dismissed') throw refused('A report that was dismissed cannot be retried.', record.status);
  if (record.truncated)
    throw refused('The report was too large to be kept whole and cannot be retried.', record.status);
  const { messageId, receivedAt: publishTime, dialect } = record;
  const { attributes } = quarantinedReport(record);
  const data = Buffer.from(record.data, 'base64');
  const read = readMessage({ messageId, publishTime, attributes, data }, isDialect(dialect) ? dialect : 'native');
  if (read.kind === 'refused') return change(world, bearer, reportId, read.refusal);
  if (read.kind === 'report') await takeReport(world, read.report, { autoRegister: true, frames });
  return change(world, bearer, reportId, { status: 'retried' });
}

/** Puts a quarantined message aside. @throws AppError `not-found`; `invalid-transition` for one that has become a report */
export async function dismissQuarantined(world: World, bearer: Bearer, reportId: string): Promise<QuarantinedReport> {
  const { data: record } = await load(world, bearer, reportId);
  if (record.status === 'retried') throw refused('The report was retried and has been handled.', record.status);
  return record.status === 'dismissed'
    ? quarantinedReport(record)
    : change(world, bearer, reportId, { status: 'dismissed' });
}

async function change(
  world: World,
  bearer: Bearer,
  reportId: string,
  changes: Partial<Omit<QuarantinedReport, 'attributes'>>,
): Promise<QuarantinedReport> {
  return decideAndCommit(world, async () => {
    const { data: record, revision } = await load(world, bearer, reportId);
    const data = { ...record, ...changes };
    return {
      writes: [{ kind: 'replace', in: 'quarantine', id: reportId, data, revision }],
      wakes: [],
      answer: quarantinedReport(data),
    };
  });
}

/** What could not be read is of no group, so it is there only for a bearer whom groups do not limit. */
async function load({ store }: World, { groups }: Bearer, reportId: string): Promise<Stored<'quarantine'>> {
  const [stored = null] = await store.get('quarantine', [reportId]);
  if (!stored || groups !== null) throw notFound(`quarantined report ${reportId}`);
  return stored;
}

function refused(message: string, status: QuarantinedReport['status']): AppError {
  return new AppError('invalid-transition', message, { members: { reportStatus: status } });
}
