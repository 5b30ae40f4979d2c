import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { parseJson } from '../../../shared/schema/json.ts';
import { type Configuration, type FieldName, fieldNames, fieldOf } from '../decide/fields.ts';

/**
 * The configuration that a camera must have. Generations only increase: a lower one is refused, and so is the present
 * one with other content.
 */
export type Golden = { generation: number; configuration: Configuration };

/** The answer of a source of golden configurations. */
export type GoldenOffer =
  | { status: 'unchanged' }
  | { status: 'offered'; golden: Golden }
  | { status: 'refused'; reason: string };

const maxFileBytes = 64 * 1024;

/**
 * Reads `{deviceId, generation, configuration}`; nested members become dotted field names.
 * @param faults collects every member at fault, by name
 */
export function readGolden(value: unknown, deviceId: string, at: string, faults: string[]): Golden {
  const { generation, configuration, deviceId: meantFor, ...others } = members(value, at, faults);
  for (const name of Object.keys(others)) faults.push(`${at}.${name} is not known`);
  if (!Number.isSafeInteger(generation) || Number(generation) < 1)
    faults.push(`${at}.generation must be a whole number from 1`);
  // A configuration that names no camera could be used for any camera.
  if (meantFor === undefined) faults.push(`${at}.deviceId is missing`);
  else if (meantFor !== deviceId) faults.push(`${at}.deviceId is that of another camera`);
  const flat: Configuration = {};
  flatten(configuration, '', `${at}.configuration`, flat, faults);
  if (faults.length === 0 && Object.keys(flat).length === 0) faults.push(`${at}.configuration names no field`);
  return { generation: Number(generation), configuration: flat };
}

function flatten(value: unknown, prefix: string, at: string, flat: Configuration, faults: string[]): void {
  for (const [name, member] of Object.entries(members(value, at, faults))) {
    const field = `${prefix}${name}`;
    if (fieldNames.includes(field as FieldName)) {
      const fault = faultOfValue(field as FieldName, member);
      if (fault) faults.push(`${at}.${name} ${fault}`);
      else flat[field as FieldName] = member as string;
    } else if (/password|secret|key$/i.test(name)) {
      faults.push(`${at}.${name} is a secret: it belongs into GUARDIAN_CLIENT_PASSWORD`);
    } else if (prefix === '' && fieldNames.some((known) => known.startsWith(`${name}.`))) {
      flatten(member, `${name}.`, `${at}.${name}`, flat, faults);
    } else {
      faults.push(`${at}.${name} is no protected field`);
    }
  }
}

/** What is wrong with a value of a protected field, as the end of a sentence. Null: nothing. */
export function faultOfValue(name: FieldName, value: unknown): string | null {
  switch (fieldOf(name).type) {
    case 'whole': {
      const max = name === 'qos' ? 2 : 65_535;
      return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max
        ? null
        : `must be a whole number up to ${max}`;
    }
    case 'flag':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'topics':
      return Array.isArray(value) && value.every((topic) => typeof topic === 'string')
        ? null
        : 'must be a list of topics';
    case 'text':
      return faultOfText(name, value);
  }
}

function faultOfText(name: FieldName, value: unknown): string | null {
  if (typeof value !== 'string') return 'must be text';
  if (value.length > 4096) return 'must be at most 4096 characters';
  if (name === 'broker.host' && !/^[A-Za-z0-9.:[\]_-]+$/.test(value)) return 'must be a host name or address';
  if (name === 'broker.protocol' && !/^(tcp|ssl|ws|wss)$/.test(value)) return 'must be tcp, ssl, ws or wss';
  return value.includes('-----BEGIN') ? "must be the certificate's id in the camera, not its content" : null;
}

function members(value: unknown, at: string, faults: string[]): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  faults.push(`${at} must be an object`);
  return {};
}

/** Whether generation and configuration are equal, whatever the order of the members. */
export function isSameGolden(a: Golden, b: Golden): boolean {
  const sorted = ({ configuration }: Golden) => JSON.stringify(Object.entries(configuration).toSorted());
  return a.generation === b.generation && sorted(a) === sorted(b);
}

/** The public key for signed golden configurations: 32 bytes of Ed25519 in base64. @throws Error when it is not such a key */
export function readPublicKey(text: string): KeyObject {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 32) throw new Error('must be an Ed25519 public key: 32 bytes in base64');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' });
}

/**
 * Opens a signed golden configuration: one line with the base64 signature, then exactly the signed bytes.
 * @throws Error that says why it is refused; the content is read only after the signature is verified
 */
export function openSigned(bytes: Buffer, key: KeyObject, deviceId: string): Golden {
  const end = bytes.indexOf('\n');
  const signature = Buffer.from(bytes.subarray(0, Math.max(0, end)).toString('latin1').trim(), 'base64');
  const content = bytes.subarray(end + 1);
  if (end < 0 || !verify(null, content, key, signature)) throw new Error('Its signature does not verify.');
  const faults: string[] = [];
  const parsed = parseJson(content);
  if ('fault' in parsed) throw new Error(`It is refused: ${parsed.fault.pointer} ${parsed.fault.detail}.`);
  const { value } = parsed;
  const golden = readGolden(value, deviceId, 'golden', faults);
  if (faults.length > 0) throw new Error(`${faults.join('; ')}.`);
  return golden;
}

/**
 * A source that looks at a signed file on each call. It offers the configuration if the file has changed since the last
 * offer, and refuses a faulty file on each call.
 */
export function watchSignedFile(path: string, key: KeyObject, deviceId: string): () => GoldenOffer {
  let seen = '';
  return () => {
    try {
      const { mtimeMs, size, ino } = statSync(path);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      if (stamp === seen) return { status: 'unchanged' };
      if (size > maxFileBytes) throw new Error('It is larger than 64 KiB.');
      const golden = openSigned(readFileSync(path), key, deviceId);
      seen = stamp;
      return { status: 'offered', golden };
    } catch (error) {
      // A file that returns unchanged is offered again, so that the refusal ends.
      seen = '';
      const { code, message } = error as NodeJS.ErrnoException;
      return { status: 'refused', reason: code === undefined ? message : `It cannot be read (${code}).` };
    }
  };
}
