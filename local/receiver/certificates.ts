import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, context, integer, octets, oid, sequence, set, text, time, truth } from './der.ts';

/** A certificate with its private key, both PEM. */
export type KeyedCertificate = { certificate: string; key: string };

const day = 24 * 60 * 60_000;
const ids = {
  ecdsaSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  subjectAltName: '2.5.29.17',
  serverAuth: '1.3.6.1.5.5.7.3.1',
};

/** A certificate authority of this machine alone, and a server certificate of it for the given names and addresses. */
export function createCertificates(
  hosts: readonly string[],
  now: Date,
): { authority: string; server: KeyedCertificate } {
  const issuer = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [authorityName, serverName] = ['Watchpost local authority', 'Watchpost local receiver'];
  const sealed = { issuerName: authorityName, issuerKey: issuer.privateKey, now };
  const authority = certificate({
    ...sealed,
    subjectName: authorityName,
    subjectKey: issuer.publicKey,
    // Signs certificates, and is one itself.
    extensions: [
      extension(ids.basicConstraints, sequence(truth()), true),
      extension(ids.keyUsage, usage(0x06, 1), true),
    ],
  });
  const certified = certificate({
    ...sealed,
    subjectName: serverName,
    subjectKey: server.publicKey,
    extensions: [
      extension(ids.basicConstraints, sequence(), true),
      extension(ids.keyUsage, usage(0x80, 7), true),
      extension(ids.extendedKeyUsage, sequence(oid(ids.serverAuth))),
      extension(ids.subjectAltName, sequence(...hosts.map(alternativeName))),
    ],
  });
  const key = server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { authority, server: { certificate: certified, key } };
}

type Parts = {
  issuerName: string;
  issuerKey: KeyObject;
  subjectName: string;
  subjectKey: KeyObject;
  extensions: Buffer[];
  now: Date;
};

/** RFC 5280, version 3, valid for a year from yesterday. */
function certificate({ issuerName, issuerKey, subjectName, subjectKey, extensions, now }: Parts): string {
  const algorithm = sequence(oid(ids.ecdsaSha256));
  const body = sequence(
    context(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    nameOf(issuerName),
    sequence(time(new Date(now.getTime() - day)), time(new Date(now.getTime() + 365 * day))),
    nameOf(subjectName),
    subjectKey.export({ type: 'spki', format: 'der' }),
    context(3, sequence(...extensions)),
  );
  const der = sequence(body, algorithm, bits(sign('sha256', body, issuerKey)));
  const lines = der.toString('base64').replaceAll(/.{1,64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`;
}

function nameOf(commonName: string): Buffer {
  return sequence(set(sequence(oid(ids.commonName), text(commonName))));
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return sequence(oid(id), ...(isCritical ? [truth()] : []), octets(value));
}

function usage(flags: number, unused: number): Buffer {
  return bits(Buffer.from([flags]), unused);
}

function alternativeName(host: string): Buffer {
  if (isIP(host) === 4) return context(7, Buffer.from(host.split('.').map(Number)), 'primitive');
  return context(2, Buffer.from(host), 'primitive');
}
