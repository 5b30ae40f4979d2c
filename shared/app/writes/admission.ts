import type { Operation } from '../../schema/routes.ts';
import type { Bearer } from '../bearer.ts';
import type { Admission, World, Write } from '../ports.ts';
import { isJudged, requireMayWrite } from './may-write.ts';
import { subjectOf } from './subjects.ts';

/** Judges every commit of one call of a bearer, so that no use case can forget it. */
export function createAdmission({ store }: Pick<World, 'store'>, bearer: Bearer, operation: Operation): Admission {
  const subject = subjectOf(operation);
  return {
    async admit(writes) {
      for (const write of writes) {
        if (!isJudged(write.in, subject)) continue;
        const [stored = null] = write.kind === 'create' ? [] : await store.get(write.in, [write.id]);
        const before = stored?.data ?? null;
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
