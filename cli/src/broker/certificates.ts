import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';

/** A certificate with its private key, both PEM. */
export type Credential = { certificate: string; key: string };

const dayMs = 86_400_000;

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
const time = (date: Date) => {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x17, Buffer.from(digits.slice(2)));
};

/** A distinguished name that has a common name only. */
export const nameOf = (commonName: string) =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(commonName)))));

const signatureAlgorithms: Record<string, Buffer> = {
  ec: sequence(oid('2a8648ce3d040302')),
  rsa: sequence(oid('2a864886f70d01010b'), der(0x05)),
};

const extension = (id: string, isCritical: boolean, value: Uint8Array) =>
  sequence(oid(id), ...(isCritical ? [truth] : []), octets(value));
/** `unused`: the number of unused bits at the end, which DER requires. */
const keyUsage = (flags: number, unused: number) => extension('551d0f', true, der(0x03, Buffer.from([unused, flags])));
const publicBytes = (key: KeyObject) => createPublicKey(key as never).export({ type: 'spki', format: 'der' });
/** How certificates of ours name a key. */
export const keyId = (key: KeyObject) => createHash('sha1').update(publicBytes(key)).digest();

/** What a certificate may be used for. */
export const usages = {
  authority: () => [extension('551d13', true, sequence(truth)), keyUsage(0b0000_0110, 1)],
  client: () => [keyUsage(0b1000_0000, 7), extension('551d25', false, sequence(oid('2b06010505070302')))],
  server: (names: readonly string[], addresses: readonly (readonly number[])[]) => [
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
  ],
};

export type Order = {
  /** Distinguished names, DER. */
  subject: Uint8Array;
  issuer: Uint8Array;
  /** The key that signs, and the key of the certificate. */
  signer: KeyObject;
  key: KeyObject;
  extensions: readonly Uint8Array[];
  /** How the authority's certificate names its key, where that is known: it tells apart authorities of one name. */
  signerId?: Uint8Array;
  days: number;
  now: Date;
};

/** Issues a certificate that is valid from a day ago, because clocks differ. @throws Error if the signer's key is neither EC nor RSA */
export function issue({ subject, issuer, signer, key, extensions, signerId, days, now }: Order): Credential {
  const algorithm = signatureAlgorithms[signer.asymmetricKeyType ?? ''];
  if (!algorithm) throw new Error(`A key of the type ${signer.asymmetricKeyType} cannot sign: EC or RSA is needed.`);
  const serial = randomBytes(16);
  serial[0] = 0x4c; // Makes the number positive, without a leading zero.
  const keyIds = [
    extension('551d0e', false, octets(keyId(key))),
    ...(signerId ? [extension('551d23', false, sequence(der(0x80, signerId)))] : []),
  ];
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    issuer,
    sequence(time(new Date(now.getTime() - dayMs)), time(new Date(now.getTime() + days * dayMs))),
    subject,
    publicBytes(key),
    der(0xa3, sequence(...extensions, ...keyIds)),
  );
  const certificate = sequence(body, algorithm, bits(sign('sha256', body, signer)));
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n').trim();
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/** Issues a client certificate with this common name. @throws Error if the authority's key is not that of its certificate */
export function issueClient(authority: Credential, commonName: string, days: number, now: Date): Credential {
  const parent = new X509Certificate(authority.certificate);
  const signer = createPrivateKey(authority.key);
  if (!parent.checkPrivateKey(signer)) throw new Error('The key of the authority is not that of its certificate.');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = subjectOf(parent.raw);
  return issue({
    subject: nameOf(commonName),
    issuer,
    signer,
    key: privateKey,
    extensions: usages.client(),
    days,
    now,
  });
}

/** The subject of a certificate, byte by byte: the fifth member of its body after the optional version. */
function subjectOf(certificate: Uint8Array): Uint8Array {
  const body = memberAt(certificate, memberAt(certificate, 0).from);
  const starts: { from: number; start: number; end: number; tag: number }[] = [];
  for (let at = body.from; at < body.end; ) {
    const member = memberAt(certificate, at);
    starts.push(member);
    at = member.end;
  }
  const members = starts[0]?.tag === 0xa0 ? starts.slice(1) : starts;
  const subject = members[4];
  if (!subject) throw new Error('The certificate of the authority cannot be read.');
  return certificate.subarray(subject.start, subject.end);
}

function memberAt(bytes: Uint8Array, start: number): { tag: number; start: number; from: number; end: number } {
  const first = bytes[start + 1] ?? 0;
  const count = first < 128 ? 0 : first - 128;
  const length =
    count === 0 ? first : bytes.subarray(start + 2, start + 2 + count).reduce((sum, byte) => sum * 256 + byte, 0);
  const from = start + 2 + count;
  return { tag: bytes[start] ?? 0, start, from, end: from + length };
}
