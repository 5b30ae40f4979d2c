/** The few forms of ASN.1 DER that a certificate is made of. */

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = Buffer.from(length.toString(16).padStart(length > 255 ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content]);
}

export const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
export const set = (...parts: Buffer[]): Buffer => tagged(0x31, Buffer.concat(parts));
/** A positive number, given as bytes. */
export const integer = (bytes: Buffer): Buffer =>
  tagged(0x02, (bytes[0] ?? 0) > 127 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
export const truth = (): Buffer => Buffer.from([0x01, 0x01, 0xff]);
export const bits = (bytes: Buffer, unused = 0): Buffer => tagged(0x03, Buffer.concat([Buffer.from([unused]), bytes]));
export const octets = (bytes: Buffer): Buffer => tagged(0x04, bytes);
export const text = (value: string): Buffer => tagged(0x0c, Buffer.from(value));
/** `[n]`, around other parts or, with `primitive`, around plain bytes. */
export const context = (n: number, content: Buffer, form: 'constructed' | 'primitive' = 'constructed'): Buffer =>
  tagged((form === 'constructed' ? 0xa0 : 0x80) | n, content);

/** Times up to 2049 are UTCTime. */
export const time = (at: Date): Buffer =>
  tagged(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`));

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest.flatMap(base128)];
  return tagged(0x06, Buffer.from(bytes));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}
