import { inflateSync } from 'node:zlib';

/** What can be read on the pages of a document that pdf-lib wrote: the texts of its content, line by line, and what it says of itself. */
export function pdfText(document: Uint8Array): string {
  const whole = Buffer.from(document).toString('latin1');
  const streams = [...whole.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].map(([, stream = '']) => {
    const bytes = Buffer.from(stream, 'latin1');
    return (/^x/.test(stream) ? inflateSync(bytes) : bytes).toString('latin1');
  });
  const decoded = (hex: string) => Buffer.from(hex, 'hex').toString(/^feff/i.test(hex) ? 'utf16le' : 'latin1');
  return [whole, ...streams]
    .flatMap((text) => [...text.matchAll(/<([\da-f]+)>/gi)].map(([, hex = '']) => decoded(hex)))
    .join('\n');
}
