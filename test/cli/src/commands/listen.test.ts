import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../../../../cli/src/run.ts';
import { verifyWebhook } from '../../../../sdk/typescript/src/index.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { detection } from '../../../support/records/detections.ts';
import { message } from '../../../support/records/reports.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { frames } from '../../../support/world/frames.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
type Request = { headers: IncomingHttpHeaders; body: string; status: number };

let api: Awaited<ReturnType<typeof startTestApi>>;
let receiver: Server;
let received: Request[];
/** The next status codes of the receiver; 200 when none are left. */
let answers: number[];
beforeEach(async () => {
  [received, answers] = [[], []];
  api = await startTestApi();
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const status = answers.shift() ?? 200;
    received.push({ headers: request.headers, body, status });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await new Promise((resolve) => receiver.close(resolve));
  await api.stop();
});
const taken = () => received.filter(({ status }) => status === 200).map(({ body }) => JSON.parse(body).session.id);
const send = (session: string) => takeMessage(api.world, message('detection', detection(session)), intake);

/** Runs `watchpost listen`. `lose`: whether the answer to a request for events is lost in transit. */
function listen(args: readonly string[], lose: (call: number) => boolean = () => false) {
  const stop = new AbortController();
  const said = { out: '', err: '' };
  let calls = 0;
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(new TypeError('aborted')));
  });
  stopped.catch(() => {});
  const ended = api.issuer.token().then((token) =>
    run(['listen', ...args], {
      env: { WATCHPOST_URL: 'http://localhost:8080', WATCHPOST_TOKEN: token },
      out(text) {
        said.out += text;
      },
      err(text) {
        said.err += text;
      },
      readInput: async () => '',
      signal: stop.signal,
      view: { hasColour: false },
      runtime: {
        async fetch(url, init) {
          const answer = await Promise.race([api.fetch(new Request(url, { ...init, signal: null })), stopped]);
          calls += 1;
          if (stop.signal.aborted || lose(calls)) throw new TypeError('terminated');
          return answer;
        },
        pause: () => Promise.resolve(),
      },
    }),
  );
  const ready = () => expect.poll(() => said.err, { timeout: 5000 }).toContain('Events go to');
  const end = () => {
    stop.abort();
    return ended;
  };
  return { said, ready, ended, end };
}
const forward = () => ['--forward', `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`];

test('events arrive at a local receiver as they happen, signed, with the bytes of a webhook', async () => {
  const listening = listen(forward());
  await listening.ready();
  await send('s-1');
  await expect.poll(() => received.length, { timeout: 5000 }).toBe(1);
  const [{ headers, body }] = received as [Request];
  const secret = /signed with (whsec_\S+)/.exec(listening.said.err)?.[1] ?? '';
  const [event] = (await api.call('GET', '/v1/events')).body.events;
  expect(await verifyWebhook(headers, body, secret)).toEqual({ deliveryId: event.recordId, event: 'detection' });
  expect(body).toBe(event.body);
  expect(await listening.end()).toBe(0);
  expect(listening.said.out).toMatch(/^\d\d:\d\d:\d\d detection cam-1 s-1 200\n$/);
});

test('if feed answers are lost and the receiver fails, each event is still delivered once, in order and under its id', async () => {
  const listening = listen([...forward(), '--secret', 's3cret'], (call) => call > 1 && call % 3 === 0);
  await listening.ready();
  answers = [500, 503];
  const wanted = Array.from({ length: 12 }, (_, index) => `s-${index}`);
  for (const session of wanted) await send(session);
  await expect.poll(taken, { timeout: 10_000 }).toEqual(wanted);
  const attempts = received.filter(({ body }) => JSON.parse(body).session.id === 's-0');
  expect(attempts.map(({ headers, status }) => [headers['x-service-attempt'], status])).toEqual([
    ['1', 500],
    ['2', 503],
    ['3', 200],
  ]);
  expect(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  await listening.end();
  // Events from the time without a listener are read from the last cursor on.
  await send('later');
  const cursor =
    listening.said.err
      .match(/cursor (\S+)/g)
      ?.at(-1)
      ?.slice(7) ?? '';
  const again = listen([...forward(), '--secret', 's3cret', '--after', cursor]);
  await expect.poll(taken, { timeout: 5000 }).toEqual([...wanted, 'later']);
  await again.end();
});

test.each([
  [[], '--forward URL is missing'],
  [['--forward', 'http://hooks.example.com/'], 'on this machine, or https'],
  [['--forward', 'nowhere'], 'on this machine, or https'],
  [['--forward', 'http://localhost:1/', '--type', 'x'], '--type'],
])('wrong arguments end with status 2 and the reason: %j', async (args, words) => {
  const listening = listen(args);
  expect(await listening.ended).toBe(2);
  expect(listening.said.err).toContain(words);
});
