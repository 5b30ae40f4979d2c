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
import { loadConfiguration } from '../settings/configuration.ts';
import { requireMayWrite } from '../writes/may-write.ts';
import { isOnDuty } from './erased-contacts.ts';
import { jobWakes } from './jobs.ts';

/**
 * Erases a device or a person in the background.
 * @param ids of the job, and the alias of a person: random, so that it does not lead back to the person
 * @throws AppError `limited-to-groups`, `forbidden`, `not-found`; `invalid-request` where nobody is named; `invalid-transition` for somebody who is
 * on duty
 */
export async function startErasure(
  world: World,
  bearer: Bearer,
  { deviceId, person }: ErasureRequest,
  ids: { jobId: string; alias: string },
): Promise<JobStarted> {
  requireMayErase(world, bearer);
  const { subject = null, emails = [], phones = [], names = [] } = person ?? {};
  const isNobody = subject === null && [...emails, ...phones, ...names].length === 0;
  if ((deviceId === undefined) === (person === undefined) || (person && isNobody)) {
    const detail = 'is required, or a person with a subject, an email, a phone or a name; not both';
    throw new AppError('invalid-request', `/deviceId ${detail}.`, { errors: [{ pointer: '/deviceId', detail }] });
  }
  if (deviceId !== undefined) return { jobId: await eraseDevice(world, bearer, deviceId, ids.jobId), matched: 1 };
  const about = { kind: 'person', person: { subject, emails, phones, names }, alias: `erased:${ids.alias}` } as const;
  const { teams } = await loadConfiguration(world);
  const onDuty = [...teams.values()].filter((team) => isOnDuty(team, about.person)).map(({ name }) => name);
  if (onDuty.length > 0) {
    const detail = `Rotations or steps of ${onDuty.join(', ')} name this person: choose a replacement first.`;
    throw new AppError('invalid-transition', detail, { members: { teams: onDuty } });
  }
  return decideAndCommit(world, async () => ({
    ...jobOf(world, bearer, ids.jobId, about),
    answer: { jobId: ids.jobId, matched: 1 },
  }));
}

/**
 * Decommissions a device, leaves a tombstone that prevents its messages from registering it again, and starts the job that erases its records.
 * @throws AppError `forbidden`, `limited-to-groups`; `not-found` where no such device exists or existed
 */
export async function eraseDevice(world: World, bearer: Bearer, deviceId: string, jobId: string): Promise<string> {
  requireMayErase(world, bearer);
  // Without its usual audit entry, because that would contain the device's name.
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

/**
 * The job starts after the deliveries of this call (endpoints get the end of the device's alerts), and when all addresses for uploading a frame have
 * expired.
 */
function jobOf(world: World, { subject }: Bearer, jobId: string, about: ErasedSubject): Omit<Decided<void>, 'answer'> {
  const now = world.now();
  const job = {
    ...newJob(jobId, { kind: 'erase', about }, 1, subject, now),
    dueAt: plus(now, world.waits.erasureDelay),
  };
  return { writes: [{ kind: 'create', in: 'jobs', id: jobId, data: job }], wakes: jobWakes(job) };
}

/** Records of a device are in every group that it was in, and records of a person can be in any group. */
function requireMayErase({ now }: World, bearer: Bearer): void {
  requireMayWrite(bearer, 'jobs', null, newJob('', { kind: 'erase', about: null }, 1, bearer.subject, now()));
}
