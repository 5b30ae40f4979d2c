import type { Operation } from '../../schema/routes.ts';
import type { Bearer } from '../bearer.ts';
import type { Admission, World, Write } from '../ports.ts';
import { recordBefore } from './before.ts';
import { isJudged, requireMayWrite } from './may-write.ts';
import { subjectOf } from './subjects.ts';

/** Judges every commit of one call of a bearer, so that no use case can forget it. */
export function createAdmission({ store }: Pick<World, 'store'>, bearer: Bearer, operation: Operation): Admission {
  const subject = subjectOf(operation);
  return {
    async admit(writes, read) {
      for (const write of writes) {
        if (!isJudged(write.in, subject)) continue;
        const before = (await recordBefore({ store }, write.in, write, read))?.data ?? null;
        requireMayWrite(bearer, write.in, before, resultOf(before, write) as typeof before);
      }
    },
  };
}

/** The record after a write. Null: it is deleted. */
export function resultOf(before: object | null, write: Write): object | null {
  if (write.kind === 'delete') return null;
  return write.kind === 'create' || write.kind === 'replace' ? write.data : { ...before, ...write.set };
}
