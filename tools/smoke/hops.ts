import { randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { verify } from '../../local/cloud/receiver/verify.ts';
import type { EgressRanges } from '../../shared/schema/webhook/webhook.ts';
import type { Api } from './api.ts';
import type { Messages } from './messages.ts';
import type { Receipt, Receiver } from './receipts.ts';

/** The parts of a smoke test. `patienceMs`: how long each hop may take. */
export type Smoke = {
  api: Api;
  messages: Messages;
  receiver: Receiver;
  deviceId: string;
  groupId: string;
  patienceMs: number;
};

/** The result of a hop. `fault` null: success; `tookMs` null: not tried, because an earlier hop failed. */
export type Hop = { name: string; tookMs: number | null; fault: string | null };

const pollMs = 200;
/** Memory usage that opens a WARNING (RES_002). */
const highMemoryPercent = 85;
const windowMinutes = 15;
const canaryLateMs = 2 * 60_000;

/**
 * Sends a status report, which opens an alert, and a detection, which reaches the customer's endpoint. Then deletes
 * everything that it created. The camera is in a maintenance window, so nobody is notified.
 * @param onHop called after each hop
 */
export async function smoke(parts: Smoke, onHop: (hop: Hop) => void): Promise<Hop[]> {
  const hops: Hop[] = [];
  const walk = async (name: string, go: () => Promise<void>, isTried = true) => {
    const startedAt = performance.now();
    const fault = isTried ? await faultOf(go) : null;
    const hop = { name, tookMs: isTried ? performance.now() - startedAt : null, fault };
    hops.push(hop);
    onHop(hop);
  };
  const cleanUp: (() => Promise<unknown>)[] = [];
  for (const [name, go] of Object.entries(hopsOf(parts, cleanUp)))
    await walk(
      name,
      go,
      hops.every(({ fault }) => fault === null),
    );
  await walk('clean-up', async () => {
    const faults = await Promise.all(cleanUp.map((undo) => faultOf(async () => void (await undo()))));
    const found = faults.filter((fault) => fault !== null);
    if (found.length > 0) throw new Error(found.join('; '));
  });
  return hops;
}

async function faultOf(go: () => Promise<void>): Promise<string | null> {
  try {
    await go();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The hops in order. Each adds the removal of what it created to `cleanUp`. */
function hopsOf(parts: Smoke, cleanUp: (() => Promise<unknown>)[]): Record<string, () => Promise<void>> {
  const { api, messages, receiver, deviceId } = parts;
  const sessionId = `${deviceId}-${Date.now()}`;
  const secret = randomBytes(24).toString('base64url');
  let alertId = '';
  let receipt: Receipt | null = null;
  return {
    health: async () => void (await api.call('GET', '/health')),
    ready: async () => void (await api.call('GET', '/ready')),
    canaries: () => requireCanaries(api),
    async registry() {
      await register(parts);
      cleanUp.push(() => api.call('DELETE', `/v1/devices/${deviceId}`));
    },
    async maintenance() {
      const from = Date.now() - 60_000;
      const [startsAt, endsAt] = [from, from + windowMinutes * 60_000].map((at) => new Date(at).toISOString());
      const scope = { devices: [deviceId] };
      const { windowId } = (await api.call('POST', '/v1/maintenance-windows', {
        ...{ name: 'Smoke test', scope, startsAt, endsAt },
      })) as { windowId: string };
      cleanUp.push(() => api.call('DELETE', `/v1/maintenance-windows/${windowId}`));
    },
    async endpoint() {
      const filter = { devices: [deviceId] };
      const { webhookId } = (await api.call('POST', '/v1/webhooks', {
        ...{ url: receiver.url, secret, filter, description: 'Smoke test' },
      })) as { webhookId: string };
      cleanUp.push(() => api.call('DELETE', `/v1/webhooks/${webhookId}`));
    },
    async report() {
      await messages.send(deviceId, 'status', { memory: { usedPercent: highMemoryPercent } });
      await messages.send(deviceId, 'detection', detectionOf(sessionId));
    },
    async alert() {
      alertId = await until(parts, 'an alert of the report', async () => {
        const { alerts } = (await api.call('GET', `/v1/alerts?deviceId=${deviceId}&status=open`)) as {
          alerts: { alertId: string; code: string }[];
        };
        return alerts.find(({ code }) => code === 'RES_002')?.alertId ?? null;
      });
    },
    async acknowledge() {
      const { status } = (await api.call('POST', `/v1/alerts/${alertId}/acknowledge`, {})) as { status: string };
      if (status !== 'acknowledged') throw new Error(`the alert is ${status}`);
    },
    async webhook() {
      const isOurs = ({ body }: Receipt) => body.includes(sessionId);
      const found = await until(parts, 'the webhook', async () => (await receiver.received()).find(isOurs) ?? null);
      const { contract, standard } = verify(found.headers, Buffer.from(found.body), secret, Date.now() / 1000);
      if (!contract || !standard) throw new Error('its signatures do not fit its secret');
      receipt = found;
    },
    async egress() {
      const ranges = (await api.call('GET', '/v1/egress-ranges')) as EgressRanges;
      const { address = '' } = receipt ?? {};
      if (!isWithin(address, ranges)) throw new Error(`${address} is in none of the ranges of GET /v1/egress-ranges`);
    },
  };
}

async function requireCanaries(api: Api): Promise<void> {
  const { platform } = (await api.call('GET', '/v1/fleet')) as {
    platform: {
      horizonAt: string | null;
      lastReportAt: string | null;
      ways: { name: string; state: string; lastHandledAt: string | null }[];
    };
  };
  const unproven = platform.ways.filter(({ state }) => state === 'unproven').map(({ name }) => name);
  if (unproven.length > 0)
    throw new Error(`no canary ever came through ${unproven.join(' and ')}: docs/runbook.md, Canary missing`);
  // A report after the last canary shows that the way works. Where the sweep does not run, the horizon stands still too.
  const { horizonAt, lastReportAt } = platform;
  const isBroken = ({ lastHandledAt: at }: (typeof platform.ways)[number]) =>
    at !== null &&
    horizonAt !== null &&
    lastReportAt !== null &&
    at < lastReportAt &&
    Date.parse(horizonAt) - Date.parse(at) > canaryLateMs;
  const broken = platform.ways.filter(isBroken).map(({ name }) => name);
  if (broken.length > 0)
    throw new Error(`canaries no longer come through ${broken.join(' and ')}: docs/runbook.md, Canary broken`);
}

/** Registers the camera. An existing camera with this id belongs to somebody: it is neither used nor deleted. */
async function register({ api, deviceId, groupId }: Smoke): Promise<void> {
  const { results } = (await api.call('PUT', '/v1/devices', { devices: [{ deviceId, groupId }] })) as {
    results: { outcome: string }[];
  };
  const [result] = results;
  if (result?.outcome !== 'created') throw new Error(`the camera was not registered: ${JSON.stringify(result)}`);
}

async function until<T>({ patienceMs }: Smoke, what: string, look: () => Promise<T | null>): Promise<T> {
  for (const end = Date.now() + patienceMs; ; ) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error(`${what} did not come within ${patienceMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function isWithin(address: string, ranges: EgressRanges): boolean {
  if (!ipaddr.isValid(address)) return false;
  const caller = ipaddr.process(address);
  return ranges
    .flatMap(({ cidrs }) => cidrs.map((cidr) => ipaddr.parseCIDR(cidr)))
    .some(([network, bits]) => network.kind() === caller.kind() && caller.match(network, bits));
}

function detectionOf(sessionId: string): object {
  return {
    timestamp: new Date().toISOString(),
    profile: { id: 'smoke', name: 'Smoke test' },
    skill: { id: 'smoke', name: 'Smoke test' },
    session: { id: sessionId, url: 'https://smoke.invalid/' },
    analysis: { objects: [], questions: [], summary: 'A smoke test; nothing was seen.' },
    imageUrl: 'https://smoke.invalid/none.jpg',
  };
}
