import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

/** A certificate with its private key, both PEM. */
export type Credential = { certificate: string; key: string };

/** Lifetime of both certificates, in days. Clients may refuse server certificates that are valid for longer (Apple: 825). */
const lifetimeDays = 820;

// Writes X.509 (RFC 5280) directly: Node can sign and read certificates, but cannot create them.
const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
};
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const octets = (content: Uint8Array) => der(0x04, content);
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);
const truth = der(0x01, Buffer.from([0xff]));
const time = (date: Date) =>
  der(
    0x17,
    Buffer.from(
      date
        .toISOString()
        .slice(2)
        .replace(/[-:T]|\.\d+/g, ''),
    ),
  );
const name = (commonName: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(commonName)))));
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const extension = (id: string, isCritical: boolean, value: Uint8Array) =>
  sequence(oid(id), ...(isCritical ? [truth] : []), octets(value));

/** `unused`: the number of unused bits at the end, which DER requires. */
const keyUsage = (flags: number, unused: number) => extension('551d0f', true, der(0x03, Buffer.from([unused, flags])));
const keyId = (key: KeyObject) => createHash('sha1').update(publicBytes(key)).digest();
const publicBytes = (key: KeyObject) => createPublicKey(key as never).export({ type: 'spki', format: 'der' });

const authorityExtensions = [extension('551d13', true, sequence(truth)), keyUsage(0b0000_0110, 1)];
const serverExtensions = (names: string[], addresses: number[][]) => [
  keyUsage(0b1000_0000, 7),
  extension('551d25', false, sequence(oid('2b06010505070301'))),
  extension(
    '551d11',
    false,
    sequence(
      ...names.map((dns) => der(0x82, Buffer.from(dns))),
      ...addresses.map((address) => der(0x87, Buffer.from(address))),
    ),
  ),
];

/** A certificate authority of this machine only, created at the first start. */
export function createAuthority(now: Date): Credential {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = 'Watchpost local run';
  return issue({ subject, issuer: subject, signer: privateKey, key: privateKey, extensions: authorityExtensions, now });
}

/** A server certificate for localhost, 127.0.0.1 and ::1, signed by the authority. */
export function createServerCredential(authority: Credential, now: Date): Credential {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const loopback = [
    [127, 0, 0, 1],
    [...Array(15).fill(0), 1],
  ];
  return issue({
    subject: 'localhost',
    issuer: 'Watchpost local run',
    signer: createPrivateKey(authority.key),
    key: privateKey,
    extensions: serverExtensions(['localhost'], loopback),
    now,
  });
}

type Order = {
  subject: string;
  issuer: string;
  signer: KeyObject;
  key: KeyObject;
  extensions: Buffer[];
  now: Date;
};

function issue({ subject, issuer, signer, key, extensions, now }: Order): Credential {
  const serial = randomBytes(16);
  serial[0] = 0x4c; // Makes the number positive, without a leading zero.
  const from = new Date(now.getTime() - 86_400_000);
  const until = new Date(now.getTime() + lifetimeDays * 86_400_000);
  const keyIds = [
    extension('551d0e', false, octets(keyId(key))),
    extension('551d23', false, sequence(der(0x80, keyId(signer)))),
  ];
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ecdsaWithSha256,
    name(issuer),
    sequence(time(from), time(until)),
    name(subject),
    publicBytes(key),
    der(0xa3, sequence(...extensions, ...keyIds)),
  );
  const certificate = sequence(body, ecdsaWithSha256, bits(sign('sha256', body, signer)));
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n').trim();
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}
