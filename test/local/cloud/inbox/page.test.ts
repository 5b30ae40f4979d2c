import { expect, test } from 'vitest';
import { inboxPage } from '../../../../local/cloud/inbox/page.ts';

const webhook = {
  kind: 'webhook' as const,
  at: '2026-11-20T10:00:00.000Z',
  hook: 'orders',
  method: 'POST',
  headers: {},
  address: '127.0.0.1',
  body: '{"eventType":"test","note":"<b>"}',
  verified: { contract: true, standard: true },
  answered: 200,
};

test('the inbox shows a webhook as text, one member in each line, and whether its signatures are valid', () => {
  const page = inboxPage([webhook]);
  expect(page).toContain('POST /orders, answered 200');
  expect(page).toContain('both signatures right');
  expect(page).toContain('  &quot;note&quot;: &quot;&lt;b&gt;&quot;');
  expect(page).not.toContain('class="wrong"');
});

test.each([
  ['a signature is wrong', { contract: true, standard: false }],
  ['a signature is wrong', { contract: null, standard: true }],
  ['signature not looked at', null],
])('the inbox says that %s', (words, verified) => {
  expect(inboxPage([{ ...webhook, verified, body: 'no JSON <i>' }])).toMatch(
    new RegExp(`${words}</span></header>\\n<pre>no JSON &lt;i&gt;</pre>`),
  );
});
