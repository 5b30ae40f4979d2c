import type { LogWitness } from '../../app/ledger/objects.ts';
import { witnessKeyOf } from '../../domain/ledger/cosignature.ts';

const callMs = 5000;
const mostBytes = 16 * 1024;

/** A witness (C2SP tlog-witness). `url` is its submission prefix: `/add-checkpoint` is appended. */
export function createWitness({ key, url }: { key: string; url: string }): LogWitness {
  const address = `${url.replace(/\/$/, '')}/add-checkpoint`;
  return {
    key: witnessKeyOf(key),
    async add(text) {
      const signal = AbortSignal.timeout(callMs);
      const response = await fetch(address, { method: 'POST', body: text, redirect: 'error', signal });
      return { status: response.status, text: await readStart(response) };
    },
  };
}

/** Reads the beginning of an answer and drops the rest. */
async function readStart({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    size += part.length;
    if (size > mostBytes) break;
  }
  return Buffer.concat(parts).subarray(0, mostBytes).toString('utf8');
}
