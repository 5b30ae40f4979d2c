import { describe, expect, test } from 'vitest';
import { authorise, parseChallenges } from '../../../../device/guardian/vapix/http-authentication.ts';

const credentials = { username: 'Mufasa', password: 'Circle of Life' };
const request = { method: 'GET', path: '/dir/index.html', isPrivate: false };
const clientNonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';

describe('answering the challenge of a camera', () => {
  // RFC 7616 section 3.9.1.
  const rfc = (algorithm: string) =>
    `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, ` +
    'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';

  test.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('computes the response that RFC 7616 gives for %s', (algorithm, response) => {
    const header = authorise(parseChallenges(rfc(algorithm)), credentials, request, 1, clientNonce);
    expect(header).toContain(`response="${response}"`);
    expect(header).toContain(`algorithm=${algorithm}, qop=auth, nc=00000001, cnonce="${clientNonce}"`);
    expect(header).toContain('opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"');
  });

  test('computes the response of RFC 2069 if the challenge has no `qop`', () => {
    // RFC 2617 section 3.2.2.1 without qop: MD5(MD5(A1):nonce:MD5(A2)).
    const header = authorise(parseChallenges('Digest realm="r", nonce="n"'), credentials, request, 1, 'c');
    expect(header).not.toContain('cnonce');
    expect(header).toMatch(
      /^Digest username="Mufasa", realm="r", nonce="n", uri="\/dir\/index.html", response="[0-9a-f]{32}"$/,
    );
  });

  test('prefers the strongest digest algorithm, and digest to basic', () => {
    const offered = parseChallenges(`Basic realm="a", ${rfc('MD5')}, ${rfc('SHA-256')}`);
    expect(offered.map(({ scheme }) => scheme)).toEqual(['basic', 'digest', 'digest']);
    expect(authorise(offered, credentials, request, 1, clientNonce)).toContain('algorithm=SHA-256');
    expect(authorise(offered.slice(0, 2), credentials, request, 1, clientNonce)).toContain('algorithm=MD5');
  });

  test('sends the password unencrypted only over a private connection', () => {
    const basic = parseChallenges('Basic realm="AXIS"');
    expect(authorise(basic, credentials, request, 1, 'c')).toBeNull();
    expect(authorise(basic, credentials, { ...request, isPrivate: true }, 1, 'c')).toBe(
      'Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl',
    );
  });

  const unanswerable: [what: string, header: string][] = [
    ['no header', ''],
    ['a scheme that is not known', 'Negotiate'],
    ['a digest without nonce', 'Digest realm="r"'],
    ['a digest of another algorithm', 'Digest realm="r", nonce="n", algorithm=TOKEN'],
    ['a digest over the body only', 'Digest realm="r", nonce="n", qop="auth-int"'],
    ['nonsense', '=,,="'],
  ];
  test.each(unanswerable)('does not answer %s', (_what, header) => {
    expect(authorise(parseChallenges(header), credentials, { ...request, isPrivate: true }, 1, 'c')).toBeNull();
  });

  test('reads a digest behind a scheme without parameters', () => {
    expect(parseChallenges('Negotiate, Digest realm="a, b=\\"c\\"", nonce=n')).toEqual([
      { scheme: 'negotiate', parameters: {} },
      { scheme: 'digest', parameters: { realm: 'a, b="c"', nonce: 'n' } },
    ]);
  });

  test('reads a limited number of parameters from a header', () => {
    const [challenge] = parseChallenges(
      `Digest ${Array.from({ length: 20_000 }, (_, index) => `a${index}=b`).join(', ')}`,
    );
    expect(Object.keys(challenge?.parameters ?? {}).length).toBeLessThan(1_000);
  });
});
