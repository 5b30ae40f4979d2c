import { lastHeardAt, register } from '../../device/guardian/identity/enrol.ts';
import { publicKeyOf } from '../../device/guardian/identity/identity.ts';
import type { Settings } from '../../device/guardian/settings/settings.ts';
import { audience } from '../cloud/environment.ts';
import { fetchToken } from '../cloud/identity-tokens.ts';

/** The running service: its API, and the issuer of the tokens that it accepts. */
export type ServiceAddress = { url: string; issuer: string };

const retryMs = 1_000;
const tokenSeconds = 3_600;

/**
 * Registers the guardian's key as an operator would, once the service knows the camera from its first report: a key of an unknown camera is
 * refused, and the refusal is written into the audit. After any error it tries again, until it succeeds or `isWanted` is false.
 */
export async function enrolGuardian(
  settings: Settings,
  { url, issuer }: ServiceAddress,
  isWanted: () => boolean,
): Promise<void> {
  const { identity } = settings;
  if (identity === null) return;
  while (isWanted()) {
    try {
      const wanted = {
        audience,
        subject: 'operator',
        scope: 'devices:read devices:write',
        expiresSeconds: tokenSeconds,
      };
      const service = { url, token: await fetchToken(issuer, wanted) };
      await lastHeardAt(settings, service);
      await register(settings, publicKeyOf(identity), service);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
