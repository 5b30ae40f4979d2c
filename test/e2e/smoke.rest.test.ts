import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { callerOf } from '../support/stack/stack.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

let stack: Stack;
let api: ReturnType<typeof callerOf>;
beforeAll(async () => {
  stack = await startStack({ isEmbedded: missing !== null });
  api = callerOf(stack);
  const contacts = { emails: ['ops@example.com'] };
  expect((await api.call('PUT', '/v1/teams/operations', { body: contacts })).status).toBe(201);
});
afterAll(() => stack?.stop());

function smoke(...args: string[]): Promise<{ code: number; hops: Map<string, string>; all: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['tools/smoke.ts', '--data-dir', stack.dataDir, ...args]);
    let all = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        all += chunk;
      });
    }
    child.on('close', (code) => {
      const lines = all.split('\n').flatMap((line) => {
        const [, mark = '', name = '', rest = ''] = /^(FAIL)? +([a-z-]+) +(.*)$/.exec(line) ?? [];
        return name ? [[name, `${mark}${mark && ' '}${rest}`] as const] : [];
      });
      resolve({ code: code ?? -1, hops: new Map(lines), all });
    });
  });
}

async function left(): Promise<object> {
  const [{ body: devices }, { body: webhooks }, { body: windows }, { body: alerts }] = await Promise.all([
    api.get('/v1/devices?q=smoke-'),
    api.get('/v1/webhooks'),
    api.get('/v1/maintenance-windows?state=active'),
    api.get('/v1/alerts'),
  ]);
  return { ...devices, ...webhooks, ...windows, alerts: alerts.alerts };
}
const nothing = { devices: [], webhooks: [], windows: [], alerts: [] };

test('each hop is tested and timed, everything created is deleted, and nobody is notified', async () => {
  const { code, hops, all } = await smoke();
  expect([code, all]).toEqual([0, expect.stringContaining('12 hops, 0 broken')]);
  expect([...hops.keys()]).toEqual([
    ...['health', 'ready', 'canaries', 'registry', 'maintenance', 'endpoint', 'report'],
    ...['alert', 'acknowledge', 'webhook', 'egress', 'clean-up'],
  ]);
  for (const took of hops.values()) expect(took).toMatch(/^\d+ ms$/);
  expect(all).not.toContain(stack.run.token);
  expect(await left()).toEqual(nothing);
  const inbox = (await (await fetch(`${stack.run.inboxUrl}/messages`)).json()) as { messages: { kind: string }[] };
  expect(inbox.messages.filter(({ kind }) => kind !== 'webhook')).toEqual([]);
});

test('a broken hop is named, later hops are not tried, and everything created is deleted', async () => {
  const part = stack.run.isEmbedded ? 'receiver' : 'deliver';
  await stack.stopPart(part);
  const { code, hops } = await smoke('--patience', '2');
  await stack.restart(part);
  expect(code).toBe(1);
  expect(hops.get('acknowledge')).toMatch(/ms$/);
  expect(hops.get('webhook')).toMatch(/^FAIL/);
  expect(hops.get('egress')).toBe('not tried');
  expect(hops.get('clean-up')).toMatch(/^\d+ ms$/);
  expect(await left()).toEqual(nothing);
});

test('a missing argument is named, and no secret is shown', async () => {
  const own = ['--base', stack.run.baseUrl, '--token', 'planted.token.x'];
  const { code, all } = await smoke(...own);
  expect([code, all]).toEqual([2, expect.stringContaining('--mqtt or --pubsub must say where reports go.')]);
  const { code: second, all: rest } = await smoke(...own, '--mqtt', stack.run.mqttUrl, '--webhook', 'http://localhost');
  expect([second, rest]).toEqual([2, expect.stringContaining('--webhook must be an https address')]);
  expect(all + rest).not.toContain('planted');
});
