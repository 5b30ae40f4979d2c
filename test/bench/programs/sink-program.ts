// An HTTPS receiver that records when each event arrived: `sink-N` in a body names the event, the path names the endpoint.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, createServerCredential } from '../../../local/machine/certificates.ts';

/** The first arrival of an event, in milliseconds of the monotonic clock that all processes of a machine share, and how often it arrived. */
export type Arrival = { event: string; endpoint: string; atMs: number; times: number };
export type SinkQuestion = { kind: 'hang'; endpoints: string[] } | { kind: 'take' };

const now = new Date();
const authority = createAuthority(now);
const { certificate: cert, key } = createServerCredential(authority, now);
const arrivals = new Map<string, Arrival>();
let hanging = new Set<string>();

const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
  const endpoint = (request.url ?? '/').slice(1);
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    const atMs = Number(process.hrtime.bigint()) / 1e6;
    // A body may name its event several times.
    for (const event of new Set(
      Buffer.concat(chunks)
        .toString()
        .match(/sink-\d+/g),
    ))
      note(event, endpoint, atMs);
    if (!hanging.has(endpoint)) response.end('ok');
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ port, certificate: authority.certificate });
});

function note(event: string, endpoint: string, atMs: number): void {
  const known = arrivals.get(`${endpoint} ${event}`);
  if (known) known.times += 1;
  else arrivals.set(`${endpoint} ${event}`, { event, endpoint, atMs, times: 1 });
}

process.on('message', (question: SinkQuestion) => {
  if (question.kind === 'hang') {
    hanging = new Set(question.endpoints);
    process.send?.({ hanging: hanging.size });
  } else {
    const taken = [...arrivals.values()];
    arrivals.clear();
    process.send?.(taken);
  }
});
process.once('disconnect', () => process.exit());
