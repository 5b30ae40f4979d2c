import { withoutKept } from '../../domain/device/tombstone.ts';
import type { ErasedSubject } from '../../domain/job/erasure.ts';
import { newJob } from '../../domain/job/job.ts';
import { plus } from '../../domain/time.ts';
import { AppError, notFound } from '../../errors.ts';
import type { ErasureRequest } from '../../schema/job/erasure.ts';
import type { JobStarted } from '../../schema/job/job.ts';
import type { Bearer } from '../bearer.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import { put } from '../commit/put.ts';
import { removalOf } from '../devices/devices.ts';
import type { World } from '../ports.ts';
import { jobWakes } from './jobs.ts';

/**
 * Erases a device or a person in the background.
 * @param ids of the job, and of what stands for a person afterwards: chance, so that nothing of it leads back
 * @throws AppError `limited-to-groups`, `not-found`; `invalid-request` where nobody is named
 */
export async function startErasure(
  world: World,
  bearer: Bearer,
  { deviceId, person }: ErasureRequest,
  ids: { jobId: string; alias: string },
): Promise<JobStarted> {
  requireAll(bearer);
  const { subject = null, emails = [], phones = [] } = person ?? {};
  const isNobody = subject === null && emails.length === 0 && phones.length === 0;
  if ((deviceId === undefined) === (person === undefined) || (person && isNobody)) {
    const detail = 'is required, or a person with a subject, an email or a phone; not both';
    throw new AppError('invalid-request', `/deviceId ${detail}.`, { errors: [{ pointer: '/deviceId', detail }] });
  }
  if (deviceId !== undefined) return { jobId: await eraseDevice(world, bearer, deviceId, ids.jobId), matched: 1 };
  const alias = `erased:${ids.alias}`;
  const job = { kind: 'person', person: { subject, emails, phones }, alias } as const;
  return decideAndCommit(world, async () => ({
    ...jobOf(world, bearer, ids.jobId, job),
    answer: { jobId: ids.jobId, matched: 1 },
  }));
}

/**
 * Decommissions a device, leaves a tombstone by which none of its messages registers it again, and starts the job that erases what is kept of it.
 * @throws AppError `forbidden`, `limited-to-groups`; `not-found` where there neither is nor was such a device
 */
export async function eraseDevice(world: World, bearer: Bearer, deviceId: string, jobId: string): Promise<string> {
  requireAll(bearer);
  // The entry of the call would hold what the device was called: it is written without.
  const { trail, ...quiet } = world;
  await decideAndCommit(quiet, async (): Promise<Decided<void>> => {
    const { devices, tombstones } = await world.store.getMany({ devices: [deviceId], tombstones: [deviceId] });
    const [[device = null], [tombstone = null]] = [devices, tombstones];
    const started = jobOf(world, bearer, jobId, { kind: 'device', deviceId });
    if (device) {
      const { writes, wakes } = await removalOf(quiet, bearer, deviceId, true);
      return { writes: [...writes, ...started.writes], wakes: [...wakes, ...started.wakes], answer: undefined };
    }
    if (!tombstone) throw notFound(`device ${deviceId}`);
    return {
      writes: [put('tombstones', deviceId, withoutKept(tombstone.data), tombstone), ...started.writes],
      wakes: started.wakes,
      answer: undefined,
    };
  });
  trail?.committed(false);
  return jobId;
}

/** The job begins when what follows from the call has left: endpoints hear that the alerts of a device are over. */
function jobOf(world: World, { subject }: Bearer, jobId: string, about: ErasedSubject): Omit<Decided<void>, 'answer'> {
  const now = world.now();
  const job = {
    ...newJob(jobId, { kind: 'erase', about }, 1, subject, now),
    dueAt: plus(now, world.waits.erasureDelay),
  };
  return { writes: [{ kind: 'create', in: 'jobs', id: jobId, data: job }], wakes: jobWakes(job) };
}

/** Records of a device lie in every group that it was in, and those of a person in any. */
function requireAll({ groups, scopes }: Bearer): void {
  if (groups !== null) throw new AppError('limited-to-groups', 'Only a token of all groups may erase.');
  if (scopes.has('settings:write')) return;
  throw new AppError('forbidden', 'The token lacks the scope settings:write.', {
    members: { scope: 'settings:write' },
  });
}
