import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { exportJWK, generateKeyPair } from 'jose';
import type { Page } from 'playwright-core';
import { startGateway } from '../../../local/cloud/gateway/gateway.ts';
import { startIssuer } from '../../../local/cloud/issuer.ts';
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { markStale, refreshNow } from '../../../shared/app/now/refresh.ts';
import { scopes } from '../../../shared/schema/scopes.ts';
import { giveSight } from '../records/sight.ts';
import { createTestRouter } from '../world/api.ts';
import { issuersOf } from '../world/issuer.ts';
import { createTestWorld, type TestWorld } from '../world/world.ts';

/** The console with the real API on the in-process store, in real time. The stream reports changes of the test at once. */
export async function startConsole({ ledger }: Pick<TestWorld, 'ledger'> = {}) {
  const store = createMemoryStore();
  const bare = createTestWorld(store);
  const now = () => new Date().toISOString();
  // No sweep runs here. Without this wait, the platform would soon count as blind.
  const world: TestWorld = { ...bare, now, waits: { ...bare.waits, canaryBlind: 24 * 60 * 60_000 } };
  if (ledger) world.ledger = ledger;
  await giveSight(world);
  // What is wrong now follows each change, as after the wakes of the summaries. The summaries themselves are counted at each reading here.
  const follow = async () => {
    const found = [
      ...(await store.find({ in: 'alerts', limit: 5000 })),
      ...(await store.find({ in: 'now', limit: 5000 })),
    ];
    const groups = new Set(found.map(({ data }) => data.groupId));
    await store.commit([...groups].map(markStale));
    await refreshNow(world);
  };
  const { wake } = world.waker;
  let following: ReturnType<typeof setTimeout> | undefined;
  world.waker = {
    async wake(wakes) {
      await wake(wakes);
      if (!wakes.some((each) => each.in === 'fleetCounters')) return;
      clearTimeout(following);
      following = setTimeout(() => void follow(), 100);
    },
  };
  await follow();
  const sweeps = setInterval(() => void follow(), 20_000);
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const signingKey = { ...(await exportJWK(privateKey)), kid: 'k1', alg: 'RS256' };
  const issuer = await startIssuer({ port: 0, signingKey, audience: 'watchpost', scope: scopes.join(' ') });
  const address = `http://127.0.0.1:${issuer.port}`;
  const { router } = createTestRouter(world, {
    issuers: issuersOf({ issuer: address }),
    allowHosts: [],
  });
  const api = createServer(getRequestListener(router.fetch));
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const gateway = await startGateway({
    port: 0,
    apiPort: (api.address() as AddressInfo).port,
    probesPort: 9,
    consoleFolder: process.env['CONSOLE_FOLDER'] ?? `${process.cwd()}/console/dist`,
    consoleConfig: { issuer: address, clientId: 'console', audience: 'watchpost' },
  });
  return {
    world,
    baseUrl: `http://127.0.0.1:${gateway.port}`,
    async stop() {
      clearTimeout(following);
      clearInterval(sweeps);
      api.closeAllConnections();
      await Promise.all([gateway.stop(), issuer.stop(), new Promise((resolve) => api.close(resolve))]);
    },
  };
}

/** What happened on a page, in order: each key with the screen's content when it was pressed, and each request that changes something. */
export type Witnessed =
  | { kind: 'key'; key: string; ring: string | null; open: string | null; selected: string[]; barCount: number }
  | { kind: 'run'; seed: number }
  | { kind: 'asked'; path: string; body: { action?: string; alertIds?: string[] } };

/** Makes the page record keys and requests, and what it shows at each key, without access to the console's state. */
export async function witness(page: Page): Promise<() => Promise<Witnessed[]>> {
  await page.addInitScript(() => {
    const log: unknown[] = [];
    Object.assign(globalThis, { witnessed: log });
    addEventListener(
      'keydown',
      ({ key, target }) => {
        const isTyped = target instanceof HTMLInputElement && target.type !== 'checkbox';
        if (isTyped || document.querySelector('dialog[open]')) return;
        const ring = document.activeElement?.closest('li')?.querySelector<HTMLElement>('[data-alert]');
        const rows = [...document.querySelectorAll<HTMLElement>('.alert-row.selected [data-alert]')];
        log.push({
          kind: 'key',
          key,
          ring: ring?.dataset['alert'] ?? null,
          open: /^#\/alerts\/([^?]+)/.exec(location.hash)?.[1] ?? null,
          selected: rows.map(({ dataset }) => dataset['alert']),
          barCount: Number.parseInt(document.querySelector('.bulk strong')?.textContent ?? '0', 10),
        });
      },
      { capture: true },
    );
    const send = globalThis.fetch;
    globalThis.fetch = (...given) => {
      const [address, init] = given;
      if (init?.method === 'POST' && String(address).startsWith('/v1/')) {
        log.push({ kind: 'asked', path: String(address), body: JSON.parse(String(init.body ?? '{}')) });
      }
      return send(...given);
    };
  });
  return () => page.evaluate(() => (globalThis as unknown as { witnessed: Witnessed[] }).witnessed.splice(0));
}
