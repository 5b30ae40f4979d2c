import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { freePort } from '../../support/net/free-port.ts';
import type { Target, Way } from '../ways/way.ts';
import { peerFolder } from './install.ts';
import { startServer } from './server.ts';

export type AlertmanagerWay = Way & {
  /** Takes many alerts in one call. */
  acceptAll(labels: Record<string, string>[]): Promise<void>;
};

/** Starts Alertmanager with a receiver for each endpoint. It sends alerts with the same value of the label `groupBy` together. */
export async function startAlertmanager(program: string, target: Target, groupBy: string): Promise<AlertmanagerWay> {
  const data = mkdtempSync(join(peerFolder('alertmanager'), 'data-'));
  const port = await freePort();
  const config = join(data, 'alertmanager.yml');
  writeFileSync(config, JSON.stringify(configOf(target, groupBy)));
  const address = `--web.listen-address=127.0.0.1:${port}`;
  const args = [`--config.file=${config}`, `--storage.path=${data}`, address, '--cluster.listen-address='];
  const server = await startServer(program, args, port, join(data, 'log'));
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 16 });
  let accepted = 0;
  const acceptAll = async (alerts: Record<string, string>[]) => {
    accepted += alerts.length;
    const body = JSON.stringify(alerts.map((labels) => ({ labels: { alertname: 'CONN_001', ...labels } })));
    const headers = { 'Content-Type': 'application/json' };
    const answer = await pool.request({ method: 'POST', path: '/api/v2/alerts', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`Alertmanager answered ${answer.statusCode}: ${text}`);
  };
  const delivered = async () => {
    const answer = await pool.request({ method: 'GET', path: '/metrics' });
    const metrics = await answer.body.text();
    const sum = (name: string) =>
      [...metrics.matchAll(new RegExp(`^${name}\\{[^}]*integration="webhook"[^}]*\\} (\\S+)$`, 'gm'))].reduce(
        (total, [, value]) => total + Number(value),
        0,
      );
    return sum('alertmanager_notifications_total') - sum('alertmanager_notifications_failed_total');
  };
  return {
    name: 'Alertmanager',
    about:
      'volatile: what it has accepted dies with it; no authentication, signature, guard, filter or record of attempts',
    accept: (event, endpoint) => acceptAll([{ event, endpoint }]),
    acceptAll,
    onTheWay: async () => accepted - (await delivered()),
    async ledger() {
      const done = await delivered();
      return { delivered: done, failed: 0, held: 0, waiting: accepted - done };
    },
    othersCpuMs: server.cpuMs,
    async stop() {
      await pool.destroy();
      await server.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function configOf({ port, endpoints }: Target, groupBy: string): object {
  const http = { tls_config: { insecure_skip_verify: true } };
  const receivers = endpoints.map((name) => ({
    name,
    webhook_configs: [{ url: `https://localhost:${port}/${name}`, send_resolved: false, http_config: http }],
  }));
  const routes = endpoints.map((name) => ({ receiver: name, matchers: [`endpoint="${name}"`] }));
  const [first = ''] = endpoints;
  const waits = { group_wait: '0s', group_interval: '1m', repeat_interval: '24h' };
  return { route: { receiver: first, group_by: [groupBy], ...waits, routes }, receivers };
}
