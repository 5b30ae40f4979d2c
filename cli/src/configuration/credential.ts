import { type FromEnvironment, isFromEnvironment } from './document.ts';
import { missingSecret, type Path, type Secrets, Unmet } from './kinds/kind.ts';

/** A credential that the service has and does not show. `version`: the one that came with it. */
export type Hidden = { hidden: true; version?: number };

export const hidden = (version?: number): Hidden => ({ hidden: true, ...(version === undefined ? {} : { version }) });

export function isHidden(value: unknown): value is Hidden {
  return typeof value === 'object' && value !== null && (value as { hidden?: unknown }).hidden === true;
}

export const mustBeReference =
  'must be {env: NAME}, or {env: NAME, version: 2}: a secret stands in the environment, never in the file';

/** The reference that a file has in place of a credential. */
export function referenceTo(credential: Hidden, env: string): FromEnvironment {
  return { env, ...(credential.version === undefined ? {} : { version: credential.version }) };
}

/**
 * What becomes of a credential: it stays where the file has no reference, or one without a version or with that of the service.
 * @param given a reference of the file, or what the service has
 * @param known what the service has, as long as it would keep it
 * @throws Unmet if the service would drop it
 */
export function credentialOf(
  given: unknown,
  known: unknown,
  secrets: Secrets,
  path: Path,
): { shown: Hidden | null; sent: () => { text: string; version?: number } | null } {
  const kept = isHidden(known) ? known : null;
  if (isHidden(given) && !kept) {
    throw new Unmet(path, 'must be given as {env: NAME}: the service keeps no credential for another address');
  }
  if (!isFromEnvironment(given)) return { shown: kept, sent: () => null };
  const { env, version } = given;
  if (kept && (version === undefined || version === kept.version)) return { shown: kept, sent: () => null };
  return {
    shown: hidden(version),
    sent() {
      const text = secrets(env);
      if (text === undefined || text === '') throw missingSecret(env, path);
      return { text, ...(version === undefined ? {} : { version }) };
    },
  };
}
