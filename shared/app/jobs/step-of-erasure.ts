import type { ErasedSubject } from '../../domain/job/erasure.ts';
import type { Step } from '../../domain/job/job.ts';
import type { World, Write } from '../ports.ts';
import { revisionWrite } from '../settings/configuration.ts';
import { configurationKinds } from './erased-kinds.ts';
import { type Erased, type Stage, stagesOfDevice, stagesOfPerson } from './erasure-stages.ts';

/** The result of one step of an erasure, and the writes of its commit. */
type ErasureStep = Step & { writes: Write[] };

/** Records per step. A record of a device may require changing a second one. */
const recordsOfStep = 100;

/**
 * Erases the next records or frames. One commit contains the changes and the progress. A repeated step finds the records deleted or renamed.
 * @param after the stage and the last id; null: the beginning
 */
export async function stepOfErasure(
  world: World,
  about: ErasedSubject | null,
  after: readonly string[] | null,
): Promise<ErasureStep> {
  const stages = about === null ? [] : about.kind === 'device' ? stagesOfDevice(about) : stagesOfPerson(about);
  const index = Number(after?.[0] ?? 0);
  const stage = stages[index];
  if (!stage) return { done: 0, refused: 0, after: null, writes: [] };
  const { writes, done, refused = 0, lastId } = await eraseNext(world, stage, after?.[1]);
  const isLast = lastId === null && index === stages.length - 1;
  const next = lastId === null ? [String(index + 1)] : [String(index), lastId];
  return { done, refused, after: isLast ? null : next, writes };
}

/** `lastId` null: the stage is complete. */
async function eraseNext(
  world: World,
  stage: Stage,
  lastId: string | undefined,
): Promise<Erased & { done: number; lastId: string | null }> {
  if (stage.in === 'frames') {
    const { erased, isMore } = await framesOf(world).erase(stage.prefix, recordsOfStep);
    return { writes: [], done: erased, lastId: isMore ? '' : null };
  }
  const found = await world.store.find({
    in: stage.in,
    ...(stage.where ? { where: stage.where } : {}),
    limit: recordsOfStep,
    ...(lastId === undefined ? {} : { after: [lastId] }),
  });
  const { writes, refused = 0 } = await stage.erase(world, found);
  const isConfigured = writes.length > 0 && configurationKinds.includes(stage.in);
  const last = found.at(-1);
  return {
    writes: isConfigured ? [...writes, await revisionWrite(world.store)] : writes,
    done: writes.length,
    refused,
    lastId: found.length < recordsOfStep || !last ? null : last.id,
  };
}

function framesOf({ frames }: World) {
  if (!frames) throw new Error('An erasure needs the bucket of frames.');
  return frames;
}
