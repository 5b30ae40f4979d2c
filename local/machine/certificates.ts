import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { type Credential, issue, keyId, nameOf, usages } from '../../cli/src/broker/certificates.ts';

export type { Credential } from '../../cli/src/broker/certificates.ts';

/** Lifetime of both certificates, in days. Clients may refuse server certificates that are valid for longer (Apple: 825). */
const days = 820;
const issuer = nameOf('Watchpost local run');
const loopback = [
  [127, 0, 0, 1],
  [...Array(15).fill(0), 1],
];

/** A certificate authority of this machine only, created at the first start. */
export function createAuthority(now: Date): Credential {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const extensions = usages.authority();
  return issue({
    subject: issuer,
    issuer,
    signer: privateKey,
    signerId: keyId(privateKey),
    key: privateKey,
    extensions,
    days,
    now,
  });
}

/** A server certificate for localhost, 127.0.0.1 and ::1, signed by the authority. */
export function createServerCredential(authority: Credential, now: Date): Credential {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const extensions = usages.server(['localhost'], loopback);
  const signer = createPrivateKey(authority.key);
  return issue({
    subject: nameOf('localhost'),
    issuer,
    signer,
    signerId: keyId(signer),
    key: privateKey,
    extensions,
    days,
    now,
  });
}
