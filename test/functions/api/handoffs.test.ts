import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { draftOf } from '../../support/handoff/receivers.ts';
import { routingKey } from '../../support/handoff/stand-ins.ts';
import { messagesOf } from '../../support/records/alerts.ts';
import { startTestApi } from '../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(() => api.call('DELETE', '/v1/teams/night'));
afterAll(() => api.stop());

const put = (handoffs: unknown) => api.call('PUT', '/v1/teams/night', { body: { handoffs } });
const drafts = Object.values(draftOf);

test('credentials of hand-offs are stored and never shown', async () => {
  const { status, body } = await put(drafts);
  expect([status, body.handoffs.length]).toEqual([201, drafts.length]);
  const seen = [body, (await api.call('GET', '/v1/teams')).body, (await api.call('GET', '/v1/audit')).body].map(
    (each) => JSON.stringify(each),
  );
  const records = await api.world.store.find({ in: 'teams', limit: 10 });
  seen.push(JSON.stringify(records), JSON.stringify(api.world.lines));
  for (const { credential } of drafts) {
    if (credential) for (const each of seen) expect(each).not.toContain(credential);
  }
  expect(body.handoffs[0]).toMatchObject({
    kind: 'pagerduty',
    hasCredential: true,
    severities: ['CRITICAL', 'ERROR', 'WARNING'],
  });
  expect(body.handoffs[0]).not.toHaveProperty('credential');
});

test('a request without hand-offs keeps them, and a hand-off without its credential keeps it', async () => {
  const { handoffs } = (await put([draftOf.pagerduty])).body;
  const again = await api.call('PUT', '/v1/teams/night', { body: { emails: ['n@example.com'] } });
  expect(again.body.handoffs).toEqual(handoffs);
  const [{ hasCredential: _, ...shown }] = handoffs;
  const renamed = await put([{ ...shown, name: 'Renamed' }]);
  expect(renamed.body.handoffs).toEqual([{ ...handoffs[0], name: 'Renamed' }]);
  expect((await put([])).body.handoffs).toEqual([]);
});

test('a paused hand-off resumes with its credential', async () => {
  const { handoffs } = (await put([draftOf.pagerduty])).body;
  const [{ hasCredential: _, ...shown }] = handoffs;
  expect(shown.enabled).toBe(true);
  const paused = (await put([{ ...shown, enabled: false }])).body.handoffs;
  expect(paused).toEqual([{ ...handoffs[0], enabled: false }]);
  expect((await put([shown])).body.handoffs).toEqual(handoffs);
});

test('a credential does not follow its hand-off to another address or kind', async () => {
  const { handoffs } = (await put([draftOf.servicenow])).body;
  const [{ hasCredential: _, ...shown }] = handoffs;
  const moved = { ...shown, settings: { ...shown.settings, url: 'https://evil.example.com' } };
  const { status, body } = await put([moved]);
  expect([status, body.errors[0].pointer]).toEqual([400, '/handoffs/0/credential']);
  expect((await put([{ ...moved, credential: 'another' }])).status).toBe(200);
});

test.each([
  [{ kind: 'fax', name: 'x' }, '/handoffs/0/kind'],
  [{ ...draftOf.pagerduty, name: '' }, '/handoffs/0/name'],
  [{ kind: 'pagerduty', name: 'x' }, '/handoffs/0/credential'],
  [{ ...draftOf.pagerduty, credential: 'short' }, '/handoffs/0/credential'],
  [{ ...draftOf.pagerduty, settings: { user: 'x' } }, '/handoffs/0/settings/user'],
  [{ ...draftOf.pagerduty, settings: { url: 'http://events.pagerduty.com/v2/enqueue' } }, '/handoffs/0/settings/url'],
  [{ ...draftOf.pagerduty, settings: { url: 'https://10.0.0.1/v2/enqueue' } }, '/handoffs/0/settings/url'],
  [{ ...draftOf.pagerduty, severities: [] }, '/handoffs/0/severities'],
  [{ kind: 'servicenow', name: 'x', credential: 'x', settings: { user: 'u' } }, '/handoffs/0/settings/url'],
  [{ ...draftOf.servicenow, settings: { url: 'https://x.example.com' } }, '/handoffs/0/settings/user'],
  [
    { ...draftOf.alertmanager, settings: { ...draftOf.alertmanager.settings, labels: { 'a-b': 'c' } } },
    '/handoffs/0/settings/labels',
  ],
  [{ kind: 'generic', name: 'x', settings: { url: 'https://x.example.com' } }, '/handoffs/0/settings/template'],
  [
    { ...draftOf.generic, settings: { ...draftOf.generic.settings, template: '{"a":"{{key}} {{secret}}"}' } },
    '/handoffs/0/settings/template',
  ],
  [
    { ...draftOf.generic, settings: { ...draftOf.generic.settings, template: 'no JSON' } },
    '/handoffs/0/settings/template',
  ],
  [
    { ...draftOf.generic, settings: { ...draftOf.generic.settings, header: 'Content-Length' } },
    '/handoffs/0/settings/header',
  ],
])('%j is refused at %s', async (draft, pointer) => {
  const { status, body } = await put([draft]);
  expect(status).toBe(400);
  const pointers: string[] = body.errors.map((error: { pointer: string }) => error.pointer);
  expect(
    pointers.some((each) => each.startsWith(pointer)),
    pointers.join(),
  ).toBe(true);
});

test('a test sends a trigger and a resolve as normal deliveries', async () => {
  const { handoffs } = (await put([draftOf.pagerduty])).body;
  const asked = { body: { handoffId: handoffs[0].handoffId } };
  const { status, body } = await api.call('POST', '/v1/teams/night/test', asked);
  expect([status, body.deliveries.map(({ target }: { target: string }) => target)]).toEqual([202, ['Pager', 'Pager']]);
  const made = await messagesOf(api.world);
  expect(made.map(({ handoff }) => handoff?.action).toSorted()).toEqual(['resolve', 'trigger']);
  const shown = await api.call('GET', `/v1/deliveries/${made[0]?.deliveryId}`);
  expect(shown.body).toMatchObject({ channel: 'handoff', payload: null });
  expect(JSON.stringify(made)).not.toContain(routingKey);
  const unknown = { body: { handoffId: '00000000-0000-4000-8000-000000000001' } };
  expect((await api.call('POST', '/v1/teams/night/test', unknown)).status).toBe(404);
});
