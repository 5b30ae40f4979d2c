import { createHash, randomBytes } from 'node:crypto';

export type Authentication = {
  scheme: 'none' | 'basic' | 'digest';
  username: string;
  password: string;
  /** For digest authentication. Default: MD5, which new cameras use. */
  algorithm?: 'MD5' | 'SHA-256';
};

/** Whether the camera accepts a request, or which challenge it answers. */
export type Verdict = { status: 'accepted' } | { status: 'challenged'; header: string };

export type RequestAuthentication = {
  check: (method: string, authorization: string | undefined) => Verdict;
  /** Makes every nonce stale, as time does on a real camera. */
  expireNonces: () => void;
};

/**
 * The camera's side of basic (RFC 7617) and digest (RFC 7616) authentication. A digest is accepted once: the nonce
 * count must rise. The `uri` of the digest is not compared with the request.
 */
export function createRequestAuthentication({
  scheme,
  username,
  password,
  algorithm = 'MD5',
}: Authentication): RequestAuthentication {
  const realm = 'AXIS_SIMULATED';
  let nonce = randomBytes(16).toString('hex');
  let lastCount = 0;
  const hash = (text: string) =>
    createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
      .update(text)
      .digest('hex');

  const challenge = (isStale: boolean): Verdict => {
    if (scheme === 'basic') return { status: 'challenged', header: `Basic realm="${realm}"` };
    const stale = isStale ? ', stale=true' : '';
    return {
      status: 'challenged',
      header: `Digest realm="${realm}", nonce="${nonce}", algorithm=${algorithm}, qop="auth"${stale}`,
    };
  };

  const isDigestRight = (method: string, parts: Record<string, string>): boolean => {
    const first = hash(`${username}:${realm}:${password}`);
    const second = hash(`${method}:${parts['uri']}`);
    return parts['response'] === hash(`${first}:${nonce}:${parts['nc']}:${parts['cnonce']}:auth:${second}`);
  };

  return {
    check(method, authorization) {
      if (scheme === 'none') return { status: 'accepted' };
      if (scheme === 'basic') {
        const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
        return authorization === expected ? { status: 'accepted' } : challenge(false);
      }
      const parts = Object.fromEntries(
        [...(authorization ?? '').matchAll(/([a-z]+)=(?:"([^"]*)"|([^\s,]+))/g)].map(([, name, quoted, bare]) => [
          name,
          quoted ?? bare,
        ]),
      );
      if (parts['nonce'] !== nonce) return challenge(parts['nonce'] !== undefined);
      const count = Number.parseInt(parts['nc'] ?? '0', 16);
      if (count <= lastCount || !isDigestRight(method, parts)) return challenge(false);
      lastCount = count;
      return { status: 'accepted' };
    },
    expireNonces() {
      nonce = randomBytes(16).toString('hex');
      lastCount = 0;
    },
  };
}
