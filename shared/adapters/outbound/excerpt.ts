import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { visibleText } from '../../schema/text.ts';

/** Bytes of a receiver's answer that are read, and that are kept after decompression. */
const maxReadBytes = 64 * 1024;
const maxKeptBytes = 16 * 1024;

const decoders: Record<string, () => NodeJS.ReadWriteStream & { destroy(): void }> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Reads an answer's body up to a limit and does not wait for more. */
export async function readBounded(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxReadBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxReadBytes);
}

/**
 * The beginning of a body as text. Null: the body is empty. A small body that would inflate to gigabytes is inflated
 * only as far as it is kept.
 */
export async function excerptOf(bytes: Buffer, encoding: string | undefined): Promise<string | null> {
  if (bytes.length === 0) return null;
  const decoder = decoders[encoding?.trim().toLowerCase() ?? ''];
  const kept = decoder ? await inflated(bytes, decoder()) : bytes.subarray(0, maxKeptBytes);
  // Invisible characters are spelled out, which makes the text longer.
  return visibleText(new TextDecoder().decode(kept)).slice(0, maxKeptBytes);
}

/** An excerpt without the secrets that were sent. */
export function withoutSecrets(excerpt: string | null, secrets: readonly string[]): string | null {
  return secrets.reduce((text, secret) => (secret === '' ? text : (text?.replaceAll(secret, '***') ?? null)), excerpt);
}

function inflated(bytes: Buffer, decoder: ReturnType<(typeof decoders)[string]>): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = () => {
      decoder.destroy();
      resolve(Buffer.concat(chunks).subarray(0, maxKeptBytes));
    };
    decoder.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxKeptBytes) finish();
    });
    // The stream is truncated or corrupt. What was decoded so far is used.
    decoder.on('error', finish);
    decoder.on('end', finish);
    decoder.end(bytes);
  });
}
