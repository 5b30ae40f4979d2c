import { register } from '../../device/guardian/identity/enrol.ts';
import { publicKeyOf } from '../../device/guardian/identity/identity.ts';
import type { Settings } from '../../device/guardian/settings/settings.ts';
import { audience } from '../cloud/environment.ts';
import { fetchToken } from '../cloud/identity-tokens.ts';

/** The running service: its API, and the issuer of the tokens that it accepts. */
export type ServiceAddress = { url: string; issuer: string };

const retryMs = 1_000;
const tokenSeconds = 3_600;

/**
 * Registers the guardian's key as an operator would. After any error it tries again, until it succeeds or `isWanted` is
 * false: the service refuses the key until the camera has sent its first report.
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
      const wanted = { audience, subject: 'operator', scope: 'devices:write', expiresSeconds: tokenSeconds };
      await register(settings, publicKeyOf(identity), { url, token: await fetchToken(issuer, wanted) });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
