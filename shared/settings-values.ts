import { readFileSync } from 'node:fs';
import { parseJson } from './schema/json.ts';
import { chatKinds } from './schema/vocabulary.ts';

/** Parsers of settings. The text of an error is the end of a sentence. */

export const text = (fallback?: string) => (raw: string | undefined) => {
  const value = raw || fallback;
  if (value === undefined) throw new Error('is required');
  return value;
};
export const optional = (raw: string | undefined) => raw || null;
export const list = (raw: string | undefined) => (raw ?? '').split(',').flatMap((item) => item.trim() || []);
export const number =
  (fallback: number, min: number, max: number, whole = true) =>
  (raw: string | undefined) => {
    const value = raw ? Number(raw) : fallback;
    if (!(value >= min && value <= max) || (whole && !Number.isInteger(value))) {
      throw new Error(`must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}`);
    }
    return value;
  };
export const oneOf =
  <const T extends string>(values: readonly T[], fallback: T) =>
  (raw: string | undefined): T => {
    const value = (raw || fallback) as T;
    if (!values.includes(value)) throw new Error(`must be one of ${values.join(', ')}`);
    return value;
  };
export const flag = (fallback: boolean) => (raw: string | undefined) =>
  oneOf(['true', 'false'], fallback ? 'true' : 'false')(raw) === 'true';
export const url = (protocols: string[], fallback?: string) => (raw: string | undefined) => {
  const value = text(fallback)(raw);
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    throw new Error(`must be an address that begins with ${protocols.join(' or ')}//`);
  }
  return value;
};
export const httpUrl = url(['https:', 'http:']);
export const mqttUrl = url(['mqtt:', 'mqtts:']);
export const optionalHttpsUrl = (raw: string | undefined) => (raw ? url(['https:'])(raw) : null);
export const json = (raw: string | undefined): unknown => {
  const parsed = parseJson(Buffer.from(raw || 'null'));
  if (!('fault' in parsed)) return parsed.value;
  // Its position would reveal a part of the value.
  throw new Error(`must be JSON${parsed.syntax === null ? `: a part of it ${parsed.fault.detail}` : ''}`);
};
/** A token that is allowed in a header, and too long to be guessed. */
export const bearerToken = (raw: string | undefined) => {
  if (raw && !/^[A-Za-z0-9._~+/=-]{32,256}$/.test(raw)) {
    throw new Error('must be 32 to 256 letters, digits and characters of ._~+/=-');
  }
  return raw || null;
};

/** `id:base64` pairs, newest first. The newest encrypts or signs, and all can decrypt or verify. */
export const keyList = (raw: string | undefined) =>
  list(text()(raw)).map((entry) => {
    const [id, material] = entry.split(':');
    const bytes = Buffer.from(material ?? '', 'base64');
    if (!id || bytes.length !== 32) throw new Error('must be id:key pairs, each key 32 bytes in base64');
    return { id, key: bytes };
  });

/** The keys of such pairs, at least one. */
export const signingKeys = (raw: string | undefined): [Buffer, ...Buffer[]] => {
  const [newest, ...older] = keyList(raw).map(({ key }) => key);
  if (!newest) throw new Error('must hold at least one key');
  return [newest, ...older];
};

/** The same, or none. */
export const optionalKeyList = (raw: string | undefined) => (raw ? keyList(raw) : []);

/** `name+hash+key@https://…` pairs: the key of a witness, and its submission prefix. */
export const witnessList = (raw: string | undefined) =>
  list(raw).map((entry) => {
    const [key = '', address] = entry.split(/@(?=https:)/);
    if (!/^[^+\s]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*$/.test(key)) throw new Error('must be name+hash+key@https:// pairs');
    return { key, url: https(address, `the address of ${key.split('+')[0]}`) };
  });

const email = /^[^\s@]+@[^\s@]+$/;
const phone = /^\+[1-9][0-9]{6,14}$/;
const members = ['emails', 'phones', 'chats'];

/** `{"emails": [], "phones": [], "chats": [{"kind": "slack", "url": "https://…"}]}`, each of them optional; unset: null. */
export const drillTargets = (raw: string | undefined) => {
  const given = json(raw);
  if (given === null) return null;
  if (typeof given !== 'object' || Array.isArray(given)) throw new Error('must be a JSON object');
  const strange = Object.keys(given).find((name) => !members.includes(name));
  if (strange !== undefined) throw new Error(`must hold ${members.join(', ')} and nothing else`);
  const { emails = [], phones = [], chats = [] } = given as Record<string, unknown>;
  return {
    emails: textsOf(emails, 'emails', email),
    phones: textsOf(phones, 'phones', phone),
    chats: itemsOf(chats, 'chats').map((chat, index) => {
      const { kind, url: address } = Object(chat) as { kind?: unknown; url?: unknown };
      const known = chatKinds.find((each) => each === kind);
      if (!known) throw new Error(`/chats/${index}/kind must be one of ${chatKinds.join(', ')}`);
      return { kind: known, url: https(address, `/chats/${index}/url`) };
    }),
  };
};

/** Addresses that begin with https://, separated by commas or white space. */
export const httpsUrls = (raw: string | undefined) =>
  list((raw ?? '').replaceAll(/\s+/g, ',')).map((address, index) => https(address, `number ${index + 1}`));

function https(value: unknown, where: string): string {
  try {
    return url(['https:'])(typeof value === 'string' ? value : undefined);
  } catch {
    throw new Error(`${where} must be an address that begins with https://`);
  }
}

function textsOf(value: unknown, name: string, pattern: RegExp): string[] {
  return itemsOf(value, name).map((item, index) => {
    if (typeof item !== 'string' || !pattern.test(item)) throw new Error(`/${name}/${index} is not valid`);
    return item;
  });
}

function itemsOf(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value) || value.length > 10) throw new Error(`/${name} must be a list of at most 10`);
  return value;
}

/** The version of this package. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
