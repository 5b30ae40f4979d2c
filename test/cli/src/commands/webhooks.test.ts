import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Receiver } from '../../../../local/cloud/receiver/server.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { webhookEvents } from '../../../../shared/schema/vocabulary.ts';
import { detection } from '../../../support/records/detections.ts';
import { message } from '../../../support/records/reports.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { commandLineOf } from '../../../support/world/command-line.ts';
import { description, misfits } from '../../../support/world/described.ts';
import { frames } from '../../../support/world/frames.ts';
import { startTrustedReceiver } from '../../../support/world/webhooks.ts';

let receiver: Receiver;
let api: Awaited<ReturnType<typeof startTestApi>>;
let line: ReturnType<typeof commandLineOf>;
beforeAll(async () => {
  receiver = await startTrustedReceiver(() => Date.parse(api.world.now()));
  api = await startTestApi(undefined, [`localhost:${receiver.port}`]);
  line = commandLineOf(api);
});
afterAll(async () => {
  await api.stop();
  await receiver.stop();
});

const json = async (args: string[], env: Record<string, string> = {}) => {
  const { status, out, err } = await line.run(['webhooks', ...args, '--json'], { env });
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
};

test('an endpoint is created with a secret of the service or of the environment, tested, rotated, explained, replayed and removed', async () => {
  const target = `https://localhost:${receiver.port}/hook`;
  const made = await json(['create', '--target', target, '--event', 'detection,alert', '--group', 'north']);
  expect(made).toMatchObject({ secret: expect.stringMatching(/^whsec_/), events: ['detection', 'alert'] });
  const short = made.webhookId.slice(0, 8);
  expect(await json(['test', short])).toMatchObject({ status: 'delivered', eventType: 'test' });
  expect(receiver.received).toHaveLength(1);
  const sent = await line.run(['deliveries', 'list', '--webhook', short, '--json']);
  expect(JSON.parse(sent.out)).toMatchObject([{ webhookId: made.webhookId, eventType: 'test' }]);

  const rotated = await json(['rotate', short, '--secret-env', 'NEXT', '--overlap-hours', '2'], {
    NEXT: 'of 16 bytes at least',
  });
  expect(rotated).toMatchObject({ secretPromotesAt: expect.any(String) });
  expect(rotated).not.toHaveProperty('secret');

  const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
  await takeMessage(api.world, message('detection', detection('s-told')), intake);
  await api.call('PATCH', `/v1/webhooks/${made.webhookId}`, { body: { filter: { groups: ['south'] } } });
  await takeMessage(api.world, message('detection', detection('s-untold')), intake);
  const { out } = await line.run(['webhooks', 'explain', short]);
  expect(out).toMatch(/s-untold: was not sent; would not be sent now: groups .+\.$/m);

  expect(await json(['replay', short, '--since', '2020-01-01T00:00:00Z', '--dry-run'])).toMatchObject({ replayed: 0 });
  expect(await line.run(['webhooks', 'remove', short])).toMatchObject({ status: 0, out: '', err: '' });
  expect(await json(['list'])).toEqual([]);
});

test('a test that the endpoint refuses ends with 1, and says what it answered', async () => {
  receiver.configure('failing', { behaviour: { kind: 'fail', status: 418 } });
  const made = (await api.call('POST', '/v1/webhooks', { body: { url: receiver.urlOf('failing') } })).body;
  const { status, out, err } = await line.run(['webhooks', 'test', made.webhookId, '--json']);
  expect([err, out]).toEqual(['', expect.stringContaining('418')]);
  expect([status, JSON.parse(out).status]).toEqual([1, 'failed']);
});

test.each(webhookEvents)(
  'a sample of the event %s arrives under its name, signed, and fits its description',
  async (event) => {
    const target = receiver.urlOf(`sample-${event}`);
    const secret = 'a-shared-secret-1';
    receiver.configure(`sample-${event}`, { secret });
    const body = { url: target, secret, events: ['detection'], format: 'cloudevents' };
    const { webhookId } = (await api.call('POST', '/v1/webhooks', { body })).body;
    const { status, out, err } = await line.run(['trigger', event, webhookId.slice(0, 8)]);
    expect([status, err, out]).toEqual([
      0,
      '',
      expect.stringMatching(/^The test was taken: answered 2\d\d after \d+ ms\.$/m),
    ]);
    const received = receiver.received.findLast(({ hook }) => hook === `sample-${event}`);
    expect(received?.verified).toMatchObject({ contract: true, standard: true });
    expect(received?.headers).toMatchObject({ 'x-service-event': event, 'ce-type': `watchpost.${event}` });
    const schema = description.webhooks[event]?.post.requestBody.content['application/json']?.schema;
    expect(misfits(schema?.$ref ?? '', JSON.parse(received?.body ?? ''))).toEqual([]);
    // It is a test all the same: it counts for no review, and no circuit.
    expect((await api.call('GET', `/v1/deliveries?webhookId=${webhookId}`)).body.deliveries).toMatchObject([
      { eventType: 'test' },
    ]);
    await api.call('DELETE', `/v1/webhooks/${webhookId}`);
  },
);
