import type { Write } from '../app/ports.ts';

/** Writes that Firestore takes in one commit. Its emulator takes more, so both stores of ours say so themselves. */
const mostWrites = 500;

/** @throws Error for a commit that production would refuse */
export function requireCommitSize(writes: readonly Write[]): void {
  if (writes.length <= mostWrites) return;
  throw new Error(`INVALID_ARGUMENT: a commit holds at most ${mostWrites} writes, this one ${writes.length}`);
}
