import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { startTestApi } from '../support/world/api.ts';

const blocksOf = (page: string, language: string) =>
  [...readFileSync(page, 'utf8').matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'))].map(
    ([, code = '']) => code,
  );

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

test('docs/mcp.md: a client with this configuration gets access', async () => {
  const [block = '{}'] = blocksOf('docs/mcp.md', 'json');
  const { type, url, headers } = JSON.parse(block).mcpServers.watchpost;
  expect([type, headers]).toEqual(['http', { Authorization: `Bearer \${WATCHPOST_TOKEN}` }]);
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const { status, body } = await api.call('POST', new URL(url).pathname, { body: hello });
  expect([status, body.result.serverInfo.name]).toEqual([200, 'watchpost']);
});

test('docs/metrics.md: Prometheus with this configuration requests the path of the metrics', async () => {
  const [block = ''] = blocksOf('docs/metrics.md', 'yaml');
  const [job] = parseYaml(block).scrape_configs;
  expect(job).toMatchObject({ scheme: 'https', authorization: { credentials_file: expect.any(String) } });
  // A Prometheus job without a path scrapes /metrics.
  const { status } = await api.call('GET', job.metrics_path ?? '/metrics');
  expect(status).toBe(200);
});

describe('docs/handoff.md', () => {
  const call = (text: string) => {
    const [, method = '', path = '', body = ''] = /^(\w+) (\S+)\n([\s\S]+)$/.exec(text) ?? [];
    return api.call(method, path, { body: JSON.parse(body) });
  };

  test('its first call gives a team a hand-off', async () => {
    const [block = ''] = blocksOf('docs/handoff.md', '');
    const { status, body } = await call(block.replace('<integration key>', 'a'.repeat(32)));
    expect([status, body.handoffs]).toEqual([
      201,
      [expect.objectContaining({ kind: 'pagerduty', name: 'Night desk', severities: ['CRITICAL', 'ERROR'] })],
    ]);
  });

  test('its template is accepted', async () => {
    const [template = ''] = blocksOf('docs/handoff.md', 'json');
    const settings = { url: 'https://tickets.example.com/', template: template.trim() };
    const handoffs = [{ kind: 'generic', name: 'Tickets', settings }];
    const { status, body } = await api.call('PUT', '/v1/teams/tickets', { body: { handoffs } });
    expect([status, body.errors]).toEqual([201, undefined]);
  });
});

test('docs/issuers.md: the action gives a token its groups', async () => {
  const [block = ''] = blocksOf('docs/issuers.md', 'js');
  const exports: { onExecutePostLogin?: (event: object, api: object) => Promise<void> } = {};
  runInNewContext(block, { exports });
  const claims: unknown[] = [];
  const accessToken = { setCustomClaim: (...given: unknown[]) => claims.push(given) };
  await exports.onExecutePostLogin?.({ user: { app_metadata: { groups: ['north'] } } }, { accessToken });
  await exports.onExecutePostLogin?.({ user: { app_metadata: {} } }, { accessToken });
  expect(claims).toEqual([
    [expect.any(String), ['north']],
    [expect.any(String), []],
  ]);
  // The page gives Terraform the claim that the action sets.
  const names = blocksOf('docs/issuers.md', 'hcl').map((text) => /groups_claim\s*=\s*"([^"]+)"/.exec(text)?.[1]);
  expect(names).toContain((claims[0] as string[])[0]);
});
