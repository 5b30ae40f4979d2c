import { parseJson } from './schema/json.ts';

/** How the text of a setting becomes a value; what is wrong with it is the end of a sentence. */

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
  // Where it is would be part of the value.
  throw new Error(`must be JSON${parsed.syntax === null ? `: a part of it ${parsed.fault.detail}` : ''}`);
};
export const key = (raw: string | undefined) => {
  const bytes = Buffer.from(text()(raw), 'base64');
  if (bytes.length < 32) throw new Error('must be at least 32 bytes in base64');
  return bytes;
};

/** `id:base64` pairs, newest first. The newest encrypts, and all can decrypt. */
export const keyList = (raw: string | undefined) =>
  list(text()(raw)).map((entry) => {
    const [id, material] = entry.split(':');
    const bytes = Buffer.from(material ?? '', 'base64');
    if (!id || bytes.length !== 32) throw new Error('must be id:key pairs, each key 32 bytes in base64');
    return { id, key: bytes };
  });

/** The same, or none. */
export const optionalKeyList = (raw: string | undefined) => (raw ? keyList(raw) : []);
