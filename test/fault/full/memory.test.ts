import { fork } from 'node:child_process';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settingsOf } from '../../bench/frame/platform.ts';
import { until } from '../../support/stack/stack.ts';
import { startTestIssuer } from '../../support/world/issuer.ts';

const streams = 200;
/** 30 % of 200,000 cameras. `MEMORY_LOST` sets another number. */
const lost = Number(process.env['MEMORY_LOST'] ?? 60_000);
/** Limits below the memory that Terraform gives to an instance. */
const most = { apiMiB: 256, sweepMiB: 1024 };
/** Node's heap limit in an instance of 512 MiB, the size of `api` in Terraform, MiB. With a higher limit Node collects garbage later. */
const heapOfInstance = 259;
const devices = Number(process.env['MEMORY_DEVICES'] ?? 1_000_000);

test(`${devices} devices that are due at once are handled in one process within ${most.sweepMiB} MiB`, {
  timeout: 30 * 60_000,
}, async () => {
  const program = new URL('../../support/walls/million-program.ts', import.meta.url);
  const child = fork(program, [String(devices)]);
  const notified = await new Promise<{ alerts: number; peakMiB: number }>((resolve, reject) => {
    child.once('message', (result) => resolve(result as never));
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
  console.log(`${notified.alerts} alerts of ${devices} devices, at most ${notified.peakMiB} MiB`);
  expect(notified.alerts).toBe(devices);
  expect(notified.peakMiB).toBeLessThan(most.sweepMiB);
});

type Memory = { notified: number; nowMiB: number; heapMiB: number; mostMiB: number };

let issuer: Awaited<ReturnType<typeof startTestIssuer>>;
const agent = new Agent({ connections: streams, bodyTimeout: 0 });
beforeAll(async () => {
  issuer = await startTestIssuer('ES256');
});
afterAll(async () => {
  await agent.destroy();
  await issuer?.stop();
});

/** `api` in a process of its own. Its store generates the records: the emulator cannot handle 60,000 alerts and cursors over all of them. */
async function startApi() {
  const program = new URL('../../support/walls/stream-program.ts', import.meta.url);
  const child = fork(program, [String(lost)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [`--max-heap-size=${heapOfInstance}`],
    env: { ...process.env, ...settingsOf(issuer.url), STORE: 'memory', GOOGLE_CLOUD_PROJECT: 'memory' },
  });
  const answer = <T>() => new Promise<T>((resolve) => child.once('message', (said) => resolve(said as T)));
  const { port } = await answer<{ port: number }>();
  const ask = (question: 'lose' | 'look') => {
    const said = answer<Memory>();
    child.send(question);
    return said;
  };
  return { url: `http://127.0.0.1:${port}`, ask, stop: () => child.kill('SIGKILL') };
}

test(`api stays within ${most.apiMiB} MiB with ${streams} streams through the loss of ${lost} cameras`, {
  timeout: 10 * 60_000,
}, async () => {
  const api = await startApi();
  const counts = { alert: 0, ended: 0 };
  const started = await api.ask('look');
  const headers = { Authorization: `Bearer ${await issuer.token()}` };
  const answered = async () => (await request(`${api.url}/v1/alerts`, { headers })).statusCode === 200;
  await until('an answer', answered, 120);
  await Promise.all(Array.from({ length: streams }, (_, index) => follow(api.url, index, counts)));
  const before = await api.ask('look');
  const startedAt = Date.now();
  await api.ask('lose');
  await until('every loss at every stream', async () => counts.alert >= lost * streams || counts.ended > 0, 540);
  const seconds = (Date.now() - startedAt) / 1000;
  const after = await api.ask('look');
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  const rested = await api.ask('look');
  api.stop();
  console.log(
    `${lost} in ${seconds.toFixed(0)} s: ${started.nowMiB} MiB alone, ${before.nowMiB} with ${streams} streams, at most ${after.mostMiB}, ` +
      `${rested.nowMiB} after, ${rested.heapMiB} of them the heap; ${counts.alert} changes sent, ${counts.ended} streams ended`,
  );
  expect(counts).toEqual({ alert: lost * streams, ended: 0 });
  expect(after.mostMiB).toBeLessThan(most.apiMiB);
});

/** Four streams for each operator, because the number is limited for each. */
async function follow(url: string, index: number, counts: { alert: number; ended: number }): Promise<void> {
  const token = await issuer.token({ sub: `operator-${Math.floor(index / 4)}` });
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
  const { statusCode, body } = await request(`${url}/v1/stream`, { headers, dispatcher: agent });
  if (statusCode !== 200) throw new Error(`the stream ${index} was answered ${statusCode}: ${await body.text()}`);
  let rest = '';
  body.on('data', (chunk: Buffer) => {
    const text = rest + chunk.toString('latin1');
    counts.alert += text.split('\nevent: alert').length - 1;
    // The end of a chunk may cut the searched text.
    rest = text.slice(-12);
    if (rest.includes('\nevent: alert')) rest = '';
  });
  const ended = () => {
    counts.ended += 1;
  };
  body.once('end', ended).once('error', ended);
}
