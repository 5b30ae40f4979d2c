import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { run } from '../../../cli/src/run.ts';
import { startStack } from '../../../local/stack/stack.ts';
import { verifyWebhook } from '../../../sdk/typescript/src/index.ts';
import { detection } from '../../support/records/detections.ts';
import { connectDevice, until } from '../../support/stack/stack.ts';

test('on running processes, an event reaches a local receiver within a second of its report', {
  timeout: 240_000,
}, async () => {
  const stack = await startStack({});
  const arrivals = new Map<string, number>();
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    await verifyWebhook(request.headers, body, 's3cret');
    arrivals.set(JSON.parse(body).session.id, performance.now());
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const stop = new AbortController();
  let said = '';
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const ended = run(['listen', '--forward', url, '--secret', 's3cret', '--type', 'detection'], {
    env: { WATCHPOST_URL: stack.run.baseUrl, WATCHPOST_TOKEN: stack.run.token },
    out() {},
    err(text) {
      said += text;
    },
    readInput: async () => '',
    view: { hasColour: false },
    signal: stop.signal,
  });
  await until('it listens', async () => said.includes('Events go to'));
  const camera = await connectDevice(stack, 'cam-1');
  const took: number[] = [];
  for (let index = 0; index < 12; index += 1) {
    const sentAt = performance.now();
    await camera.send('detection', detection(`s-${index}`));
    took.push((await until(`s-${index}`, async () => arrivals.get(`s-${index}`))) - sentAt);
  }
  const [, ...warm] = took;
  console.log(`from the camera to the receiver, ms: ${took.map(Math.round).join(' ')}`);
  stop.abort();
  expect(await ended).toBe(0);
  await camera.client.endAsync();
  receiver.close();
  await stack.stop();
  // The first report is left out, because it includes lazy loading.
  expect(warm.toSorted((a, b) => a - b)[Math.floor(warm.length / 2)]).toBeLessThan(1000);
});
