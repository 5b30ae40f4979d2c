const address = 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token';
/** A token is renewed when it has less than this left, milliseconds. */
const marginMs = 60_000;

let known: { token: string; until: number } | null = null;

/**
 * Returns an access token of the function's own service account, from the platform's metadata server. It is kept until shortly before it
 * expires.
 */
export async function readAccessToken(signal: AbortSignal): Promise<string> {
  if (known && known.until > performance.now()) return known.token;
  const response = await fetch(address, { headers: { 'Metadata-Flavor': 'Google' }, signal });
  if (!response.ok) throw new Error(`the metadata server answered ${response.status}`);
  const { access_token: token, expires_in: seconds } = (await response.json()) as {
    access_token: string;
    expires_in: number;
  };
  known = { token, until: performance.now() + seconds * 1000 - marginMs };
  return token;
}
