import { expect, test } from 'vitest';
import { endpointWords } from '../../../../../console/src/components/shell/endpoint-words.ts';

const failing = {
  webhookId: '11111111-1111-4111-8111-111111111111',
  host: 'hooks.example.com',
  state: 'failing' as const,
  since: '2026-11-20T02:10:00.000Z',
  reason: null,
};

test('an endpoint that fails says where, since when and what waits', () => {
  expect(endpointWords(failing)).toMatch(
    /^The webhook at hooks\.example\.com fails since .+: what is CRITICAL waits there\.$/,
  );
});

test('one that the service disabled says why', () => {
  const words = endpointWords({ ...failing, state: 'disabled', reason: 'It answered 410 Gone.' });
  expect(words).toMatch(/ was disabled, .* It answered 410 Gone\.$/);
});
