import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Program } from '../frame/program.ts';
import { startProgram } from '../frame/program.ts';
import type { Arrival, SinkQuestion } from '../programs/sink-program.ts';
import type { Ledger, Target, Way } from './way.ts';

export type Sink = Program<{ port: number; certificate: string }> & {
  /** The certificate of its authority as a file, for `NODE_EXTRA_CA_CERTS`. */
  certificateFile: string;
  hang(endpoints: string[]): Promise<void>;
  /** The arrivals since the last call. */
  take(): Promise<Arrival[]>;
};

/** Milliseconds from an event's scheduled time to its first arrival, and the number of arrivals beyond the first of each event. */
export type Latencies = { latencies: number[]; repeated: number };

/** The longest wait for events that have not arrived. */
const patienceMs = 180_000;
let events = 0;
const acceptedBy = new WeakMap<Way, number>();

export async function startSink(): Promise<Sink> {
  const program = await startProgram<{ port: number; certificate: string }>('sink');
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-sink-'));
  const certificateFile = join(folder, 'ca.pem');
  writeFileSync(certificateFile, program.ready.certificate);
  return {
    ...program,
    certificateFile,
    stop: async () => {
      await program.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    hang: async (endpoints) => void (await program.ask({ kind: 'hang', endpoints } satisfies SinkQuestion)),
    take: () => program.ask<Arrival[]>({ kind: 'take' } satisfies SinkQuestion),
  };
}

export function targetOf(sink: Sink, count: number, timeoutSeconds = 10): Target {
  const endpoints = Array.from({ length: count }, (_, index) => `endpoint-${String(index).padStart(2, '0')}`);
  return { ...sink.ready, certificateFile: sink.certificateFile, endpoints, timeoutSeconds };
}

/**
 * Sends `count` events at full speed, 16 at a time, until every one has arrived and its result is stored.
 * @returns seconds on the clock, and CPU seconds of all processes of the way: this one, its database and what else it needs, without the receiver
 */
export async function runAtOnce(way: Way, sink: Sink, { endpoints }: Target, count: number) {
  const names = nextNames(way, count);
  const before = process.cpuUsage();
  const othersBefore = way.othersCpuMs();
  const startedAt = performance.now();
  const lane = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      await way.accept(name, endpoints[names.length % endpoints.length] ?? '');
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  let arrived = 0;
  for (const end = clockMs() + patienceMs; arrived < count; await pause(50)) {
    arrived += (await sink.take()).length;
    if (clockMs() > end) throw new Error(`${way.name}: ${count} sent and ${arrived} received`);
  }
  await untilSettled(way);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { seconds, cpuSeconds: (user + system) / 1e6 + (way.othersCpuMs() - othersBefore) / 1000 };
}

/**
 * Sends events by a schedule, whether or not earlier ones have arrived.
 * @param isCounted the endpoints whose latencies are returned
 */
export async function runAtRate(
  way: Way,
  sink: Sink,
  { endpoints }: Target,
  { perSecond, seconds }: { perSecond: number; seconds: number },
  isCounted: (endpoint: string) => boolean = () => true,
): Promise<Latencies> {
  const names = nextNames(way, perSecond * seconds);
  const startMs = clockMs() + 50;
  const planned = new Map(names.map((name, index) => [name, startMs + (index * 1000) / perSecond]));
  const accepting: Promise<void>[] = [];
  for (const [index, name] of names.entries()) {
    const wait = (planned.get(name) ?? 0) - clockMs();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    accepting.push(way.accept(name, endpoints[index % endpoints.length] ?? ''));
  }
  await Promise.all(accepting);
  const wanted = names.filter((_, index) => isCounted(endpoints[index % endpoints.length] ?? '')).length;
  const seen: Arrival[] = [];
  for (const end = clockMs() + patienceMs; ; await pause(50)) {
    seen.push(...(await sink.take()).filter(({ event, endpoint }) => planned.has(event) && isCounted(endpoint)));
    if (new Set(seen.map(({ event }) => event)).size === wanted) break;
    if (clockMs() > end) throw new Error(`${way.name}: only ${seen.length} of ${wanted} events arrived`);
  }
  const first = new Map(seen.toReversed().map(({ event, atMs }) => [event, atMs]));
  const latencies = [...first].map(([event, atMs]) => atMs - (planned.get(event) ?? 0));
  return { latencies, repeated: seen.reduce((sum, { times }) => sum + times, 0) - wanted };
}

/** Waits until no event is on its way. @throws Error if that takes too long */
async function untilSettled(way: Way): Promise<void> {
  for (const end = clockMs() + patienceMs; (await way.onTheWay()) > 0; ) {
    if (clockMs() > end) throw new Error(`${way.name}: ${await way.onTheWay()} are still on their way`);
    await pause(20);
  }
}

/** Stops a way. @throws Error unless every event that it accepted is accounted for */
export async function close(way: Way): Promise<Ledger> {
  try {
    const { accepted, ...ledger } = { accepted: acceptedBy.get(way) ?? 0, ...(await way.ledger()) };
    const sum = ledger.delivered + ledger.failed + ledger.held + ledger.waiting;
    if (sum !== accepted)
      throw new Error(`${way.name}: ${accepted} accepted, ${sum} accounted for: ${JSON.stringify(ledger)}`);
    return ledger;
  } finally {
    await way.stop();
  }
}

function nextNames(way: Way, count: number): string[] {
  acceptedBy.set(way, (acceptedBy.get(way) ?? 0) + count);
  return Array.from({ length: count }, () => {
    events += 1;
    return `sink-${events}`;
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
