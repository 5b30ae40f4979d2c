import { AppError } from '../../errors.ts';
import type { TokenVerifier } from './token-verifier.ts';

/**
 * Checks the OIDC token of a private caller (Pub/Sub push, Cloud Tasks, Cloud Scheduler): its account must be one that may call. IAM
 * protects the function already. This check still holds where an address is made public by mistake.
 * @throws AppError `unauthenticated`, `forbidden`, `unavailable`
 */
export async function requireCaller(
  header: string | null | undefined,
  verify: TokenVerifier,
  callers: readonly string[],
): Promise<void> {
  const token = /^Bearer (\S+)$/i.exec(header ?? '')?.[1];
  if (!token) throw new AppError('unauthenticated', 'Only the platform may call this address.');
  const payload = await verify(token);
  const { email, email_verified: isVerified } = payload;
  if (isVerified === true && typeof email === 'string' && callers.includes(email)) return;
  throw new AppError('forbidden', 'This caller may not call here.');
}
