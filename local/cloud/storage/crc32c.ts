/** Reflected polynomial of CRC-32C (Castagnoli), the checksum of Cloud Storage; `node:zlib` has only CRC-32. */
const polynomial = 0x82f63b78;

const table = Uint32Array.from({ length: 256 }, (_unused, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  return value;
});

/** CRC-32C of the bytes as Cloud Storage writes it: base64 of the big-endian number. */
export function crc32c(bytes: Uint8Array): string {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = ((table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)) >>> 0;
  const number = Buffer.alloc(4);
  number.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
  return number.toString('base64');
}
