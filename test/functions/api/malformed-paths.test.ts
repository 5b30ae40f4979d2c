import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDecodable } from '../../../shared/adapters/http/malformed-paths.ts';
import { startTestApi } from '../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

test.each(['/v1/alerts/%zz', '/v1/devices/%', '/v1/alerts/%ff', '/malformed-path'])(
  '%s is refused with a problem and a request id',
  async (path) => {
    const answer = await api.fetch(new Request(`http://watchpost.test${path}`));
    const problem = (await answer.json()) as Record<string, string>;
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    expect(problem).toMatchObject({
      code: 'invalid-request',
      type: 'https://console.example.com/docs/problems/invalid-request',
      requestId: answer.headers.get('x-request-id'),
    });
    expect(JSON.stringify(problem)).not.toMatch(/stack|\.ts:|\.js:/);
  },
);

test.each([
  ['/v1/alerts/%zz', false],
  ['/v1/alerts/a%20b?q=%zz', true],
  ['*', true],
])('the path of %s can be decoded: %s', (url, isFine) => {
  expect(isDecodable(url)).toBe(isFine);
});

test.each(['/healthz', '/v2/alerts', '/V1/alerts'])('%s is not there', async (path) => {
  expect((await api.fetch(new Request(`http://watchpost.test${path}`))).status).toBe(404);
});
