import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOutboundClient } from '../../shared/adapters/outbound/client.ts';
import { createOutboundGuard } from '../../shared/adapters/outbound/guard.ts';
import { actOnAlert } from '../../shared/app/alerts/actions.ts';
import { createDispatcher } from '../../shared/app/deliveries/deliver.ts';
import { type Alertmanager, hasAlertmanager, startAlertmanager } from '../support/handoff/alertmanager.ts';
import { senderTo } from '../support/handoff/receivers.ts';
import { ana, giveTeam, messagesOf, openTestAlert } from '../support/records/alerts.ts';
import { createTestWorld } from '../support/world/world.ts';

let folder: string;
let manager: Alertmanager;
beforeAll(async () => {
  if (!hasAlertmanager) return;
  folder = mkdtempSync(join(tmpdir(), 'alertmanager-'));
  manager = await startAlertmanager(folder);
  setDefaultCACertificates([manager.certificate]);
});
afterAll(async () => {
  if (!hasAlertmanager) return;
  await manager.stop();
  rmSync(folder, { recursive: true });
});

/** A world on the real clock, because Alertmanager has no other. `report` sends the newest delivery of an alert with this action. */
async function prepared() {
  const world = { ...createTestWorld(), now: () => new Date().toISOString() };
  const settings = { url: manager.url, labels: { environment: 'test' } };
  await giveTeam(world, 'operations', { handoffs: [{ kind: 'alertmanager', name: 'Manager', settings }] });
  const { send } = createOutboundClient(createOutboundGuard(['localhost']));
  const dispatcher = createDispatcher(world, { handoff: senderTo(world.store, world.now, send) }, () =>
    performance.now(),
  );
  const report = async (key: string, action: string) => {
    const found = (await messagesOf(world)).filter(({ handoff }) => handoff?.key === key && handoff.action === action);
    const { deliveryId = '' } = found.at(-1) ?? {};
    expect(await dispatcher.attempt(deliveryId), `${action} ${JSON.stringify(found.at(-1)?.attempts)}`).not.toBe(
      'idle',
    );
    const [stored] = await world.store.get('deliveries', [deliveryId]);
    return stored?.data;
  };
  return { world, report };
}

if (!hasAlertmanager) console.log('prometheus-alertmanager is not on PATH: its test is left out.');

test.skipIf(!hasAlertmanager)(
  'our alerts are active in a real Alertmanager until they end, and gone afterwards',
  async () => {
    const { world, report } = await prepared();
    const [first, second] = [await openTestAlert(world), await openTestAlert(world, { code: 'RES_001' })];
    const active = async () => (await manager.active()).map(({ labels }) => labels['watchpost_id'] ?? '').toSorted();
    expect(await report(first, 'trigger')).toMatchObject({ status: 'pending', attempts: [{ statusCode: 200 }] });
    await report(second, 'trigger');
    expect(await active()).toEqual([first, second].toSorted());
    const [alert] = (await manager.active()).filter(({ labels }) => labels['watchpost_id'] === first);
    expect(alert).toMatchObject({
      labels: { alertname: 'CONN_001', severity: 'critical', group: 'north', environment: 'test' },
      status: { state: 'active' },
    });
    // It stays active for longer than two intervals of repetition.
    expect(Date.parse(alert?.endsAt ?? '') - Date.now()).toBeGreaterThan(2 * world.waits.handoffRepeat);
    // `amtool` shows it, too, as an operator sees it.
    writeFileSync(join(folder, 'http.yml'), `tls_config:\n  ca_file: ${join(folder, 'ca.pem')}\n`);
    writeFileSync(join(folder, 'ca.pem'), manager.certificate);
    const options = ['--alertmanager.url', manager.url, '--http.config.file', join(folder, 'http.yml'), '-o', 'simple'];
    const seen = spawnSync('amtool', ['alert', 'query', ...options], { encoding: 'utf8' });
    expect(seen.stdout, seen.stderr).toContain('CONN_001');
    await actOnAlert(world, ana, first, { kind: 'resolve' }, null);
    expect(await report(first, 'resolve')).toMatchObject({ status: 'delivered' });
    expect(await active()).toEqual([second]);
    // A reopened alert is active again, with the same labels.
    await actOnAlert(world, ana, first, { kind: 'reopen' }, null);
    await report(first, 'trigger');
    expect(await active()).toEqual([first, second].toSorted());
    for (const id of [first, second]) {
      await actOnAlert(world, ana, id, { kind: 'resolve' }, null);
      await report(id, 'resolve');
    }
    expect(await active()).toEqual([]);
  },
);
