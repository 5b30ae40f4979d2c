import { inflateSync } from 'node:zlib';

/** What can be read on the pages of a document that pdf-lib wrote: the texts of its content, line by line, and what it says of itself. */
export function pdfText(document: Uint8Array): string {
  const whole = Buffer.from(document).toString('latin1');
  // Its bytes are counted by its length: the last of them may be a line end too.
  const streams = [...whole.matchAll(/\/Length (\d+)[^>]*>>\s*stream\r?\n/g)].map(({ 0: head, 1: length, index }) => {
    const start = index + head.length;
    const bytes = Buffer.from(whole.slice(start, start + Number(length)), 'latin1');
    return (bytes[0] === 0x78 ? inflateSync(bytes) : bytes).toString('latin1');
  });
  const decoded = (hex: string) => Buffer.from(hex, 'hex').toString(/^feff/i.test(hex) ? 'utf16le' : 'latin1');
  return [whole, ...streams]
    .flatMap((text) => [...text.matchAll(/<([\da-f]+)>/gi)].map(([, hex = '']) => decoded(hex)))
    .join('\n');
}
