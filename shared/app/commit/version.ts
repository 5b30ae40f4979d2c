import { AppError } from '../../errors.ts';

/**
 * Requires the version of a record that a caller has seen: the number in its `ETag`.
 * @param ifVersion null: any version is accepted
 * @throws AppError `precondition-failed`
 */
export function requireVersion(what: string, version: number, ifVersion: number | null): void {
  if (ifVersion === null || ifVersion === version) return;
  throw new AppError('precondition-failed', `The ${what} has changed: it is at version "${version}".`);
}
