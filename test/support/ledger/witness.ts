import { createHash, createPublicKey, sign, verify } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type NoteKey, noteKeyOf } from '../../../shared/domain/ledger/note.ts';

const sha = (...parts: Uint8Array[]) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const node = (left: Buffer, right: Buffer) => sha(Buffer.of(1), left, right);
const odd = (number: number) => number % 2 === 1;

/** Verifies that the tree of `first` leaves is a prefix of that of `second` (RFC 9162, section 2.1.4.2). */
function isConsistent(first: number, second: number, roots: [Buffer, Buffer], given: readonly Buffer[]): boolean {
  if (first === second) return given.length === 0 && roots[0].equals(roots[1]);
  const path = Number.isInteger(Math.log2(first)) ? [roots[0], ...given] : [...given];
  let [fn, sn] = [first - 1, second - 1];
  while (odd(fn)) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  const [start, ...rest] = path;
  if (!start || given.length === 0) return false;
  let [fr, sr] = [start, start];
  for (const next of rest) {
    if (sn === 0) return false;
    if (odd(fn) || fn === sn) {
      [fr, sr] = [node(next, fr), node(next, sr)];
      while (!odd(fn) && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
    } else sr = node(sr, next);
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 && fr.equals(roots[0]) && sr.equals(roots[1]);
}

type Answer = { status: number; text: string; type?: string };

/** A witness for one log according to C2SP tlog-witness. It shares only the key format with the service. */
function createTestWitness(name: string, log: NoteKey, seconds: () => number) {
  const own = noteKeyOf(name, Buffer.alloc(32, 42));
  const typed = Buffer.concat([Buffer.of(4), own.publicKey]);
  const id = sha(Buffer.from(`${name}\n`), typed).subarray(0, 4);
  const logKey = createPublicKey(log.privateKey);
  let seen: { size: number; root: Buffer } | null = null;
  const add = (request: string): Answer => {
    const parts = /^old (0|[1-9]\d*)\n((?:[A-Za-z0-9+/]+=*\n)*)\n([\s\S]*)$/.exec(request);
    const [, old = '', proof = '', note = ''] = parts ?? [];
    const text = note.slice(0, note.indexOf('\n\n') + 1);
    const [origin, size = '', root = ''] = text.split('\n');
    if (!parts) return { status: 400, text: '' };
    if (origin !== log.name) return { status: 404, text: '' };
    const isSigned = note
      .slice(text.length)
      .split('\n')
      .some((line) => {
        const bytes = Buffer.from(line.split(' ')[2] ?? '', 'base64');
        return line.startsWith(`— ${log.name} `) && verify(null, Buffer.from(text), logKey, bytes.subarray(4));
      });
    if (!isSigned) return { status: 403, text: '' };
    if (Number(old) > Number(size)) return { status: 400, text: '' };
    const known = seen?.size ?? 0;
    if (Number(old) !== known) return { status: 409, text: `${known}\n`, type: 'text/x.tlog.size' };
    const hashes = proof
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Buffer.from(line, 'base64'));
    const next = { size: Number(size), root: Buffer.from(root, 'base64') };
    if (hashes.length > 63) return { status: 400, text: '' };
    if (seen && !isConsistent(seen.size, next.size, [seen.root, next.root], hashes)) return { status: 422, text: '' };
    if (!seen && hashes.length > 0) return { status: 422, text: '' };
    seen = next;
    const at = Buffer.alloc(8);
    at.writeBigUInt64BE(BigInt(seconds()));
    const said = Buffer.from(`cosignature/v1\ntime ${seconds()}\n${text}`);
    const signature = Buffer.concat([id, at, sign(null, said, own.privateKey)]);
    return { status: 200, text: `— ${name} ${signature.toString('base64')}\n` };
  };
  return { add, key: `${name}+${id.toString('hex')}+${typed.toString('base64')}`, seen: () => seen?.size ?? 0 };
}

/** The same witness as an HTTP server. */
export async function startTestWitness(name: string, log: NoteKey, seconds: () => number = () => 1_795_168_800) {
  const witness = createTestWitness(name, log, seconds);
  const answers: number[] = [];
  let isAway = false;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const isKnown = request.method === 'POST' && request.url === '/w/add-checkpoint';
    const answer: Answer = isAway ? { status: 503, text: '' } : isKnown ? witness.add(text) : { status: 404, text: '' };
    answers.push(answer.status);
    response.writeHead(answer.status, { 'Content-Type': answer.type ?? 'text/plain' }).end(answer.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...witness,
    url: `http://127.0.0.1:${port}/w/`,
    answers,
    away(is: boolean) {
      isAway = is;
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
