import { inflateSync } from 'node:zlib';

/** The readable texts of a PDF that pdf-lib wrote, one per line: its metadata and the content of its pages. */
export function pdfText(document: Uint8Array): string {
  const whole = Buffer.from(document).toString('latin1');
  // The end of a stream is determined by `/Length`, because its last byte may itself be a line end.
  const streams = [...whole.matchAll(/\/Length (\d+)[^>]*>>\s*stream\r?\n/g)].map(({ 0: head, 1: length, index }) => {
    const start = index + head.length;
    const bytes = Buffer.from(whole.slice(start, start + Number(length)), 'latin1');
    return (bytes[0] === 0x78 ? inflateSync(bytes) : bytes).toString('latin1');
  });
  const ofFonts = new TextDecoder('windows-1252');
  const decoded = (hex: string) =>
    /^feff/i.test(hex) ? Buffer.from(hex, 'hex').toString('utf16le') : ofFonts.decode(Buffer.from(hex, 'hex'));
  return [whole, ...streams]
    .flatMap((text) => [...text.matchAll(/<([\da-f]+)>/gi)].map(([, hex = '']) => decoded(hex)))
    .join('\n');
}
