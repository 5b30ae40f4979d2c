import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Store } from '../../shared/app/ports.ts';
import { openTestAlert } from '../support/records/alerts.ts';
import { createTestWorld } from '../support/world/world.ts';
import { type FunctionProcess, startFunction } from './frame/function-process.ts';
import { interleaved, median, spreadOf } from './frame/measure.ts';
import { inAnHour, type Platform, startPlatform } from './frame/platform.ts';
import { type Bench, rowOf } from './frame/row.ts';

const sizes = {
  tiny: { listeners: 8, changes: 5, rounds: 1 },
  quick: { listeners: 200, changes: 150, rounds: 3 },
  full: { listeners: 200, changes: 400, rounds: 5 },
};
/** Streams of one subject: there is a limit for each. */
const ofSubject = 4;
const patienceMs = 120_000;

/** N10: CPU of `api` for each change that all listeners of its stream get: each with another set of groups, to all with the same set. */
export const measure: Bench = async ({ size, against }) => {
  const { listeners, changes, rounds } = sizes[size];
  const platform = await startPlatform();
  const agent = new Agent({ connections: listeners, bodyTimeout: 0 });
  const started: Audience[] = [];
  const audience = async (groupsOf: (index: number) => string[], root?: string) => {
    const opened = await openAudience(platform, agent, { listeners, groupsOf, root });
    started.push(opened);
    return () => opened.tell(changes);
  };
  const [different, equal] = [(index: number) => ['north', `g-${index}`], () => ['north', 'g-0']];
  try {
    const figures = await interleaved(rounds, {
      different: await audience(different),
      equal: await audience(equal),
      ...(against === null ? {} : { before: await audience(different, against) }),
    });
    const { before } = figures;
    return [
      rowOf({
        id: 'N10',
        what: `stream: CPU of a change for ${listeners} listeners of as many sets of groups`,
        unit: 'µs',
        ours: median(figures.different),
        beside: [
          { name: 'the same number of one set', value: median(figures.equal) },
          ...(before ? [{ name: 'the other tree', value: median(before) }] : []),
        ],
        goal: 1.5,
        goalOf: 'ratio',
        note: `${changes} changes at once; rounds ${spreadOf(figures.different)} and ${spreadOf(figures.equal)}; each listener got each`,
      }),
    ];
  } finally {
    await agent.destroy();
    await Promise.all(started.map(({ stop }) => stop()));
    await platform.stop();
  }
};

type Audience = { tell(changes: number): Promise<number>; stop(): Promise<void> };
type Given = { listeners: number; groupsOf: (index: number) => string[]; root: string | undefined };

/** An `api` with listeners. `tell` opens alerts that all of them may see. @returns CPU for each, µs */
async function openAudience(platform: Platform, agent: Agent, { listeners, groupsOf, root }: Given): Promise<Audience> {
  const { environment, store } = platform.newProject();
  const api = await startFunction('api', environment, root);
  const got = Array.from({ length: listeners }, () => 0);
  for (const index of got.keys()) {
    const subject = { sub: `operator-${Math.floor(index / ofSubject)}`, groups: groupsOf(index) };
    const token = await platform.issuer.token({ ...subject, ...inAnHour() });
    await follow(api, agent, token, () => (got[index] = (got[index] ?? 0) + 1));
  }
  let told = 0;
  return {
    async tell(changes) {
      const before = await api.cpuUs();
      await openAlerts(store, changes);
      told += changes;
      for (const end = performance.now() + patienceMs; got.some((count) => count < told); ) {
        if (performance.now() > end) throw new Error(`of ${told} changes the listeners got ${Math.min(...got)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      if (got.some((count) => count > told)) throw new Error(`of ${told} changes a listener got ${Math.max(...got)}`);
      return ((await api.cpuUs()) - before) / changes;
    },
    stop: api.stop,
  };
}

async function openAlerts(store: Store, count: number): Promise<void> {
  const world = { ...createTestWorld(store), now: () => new Date().toISOString() };
  const open = () => openTestAlert(world, { alertId: randomUUID() });
  await Promise.all(Array.from({ length: count }, open));
}

/** Opens a stream, from the position that it greets with. */
async function follow({ port }: FunctionProcess, agent: Agent, token: string, got: () => void): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/v1/stream`, { headers, dispatcher: agent });
  if (statusCode !== 200) throw new Error(`a stream was answered ${statusCode}: ${await body.text()}`);
  let rest = '';
  await new Promise<void>((connected) => {
    body.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === ': connected') connected();
        if (line === 'event: alert') got();
      }
    });
    // The end of the bench ends the streams. One that ends earlier is missed by the count.
    body.once('error', () => {});
  });
}
