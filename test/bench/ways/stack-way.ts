import { Pool } from 'undici';
import { accountsOf, addressOf } from '../../../local/cloud/environment.ts';
import { createIdentityTokens } from '../../../local/cloud/identity-tokens.ts';
import type { StackOptions } from '../../../local/stack/settings.ts';
import { type Stack, startStack } from '../../../local/stack/stack.ts';
import { createFirestoreStore } from '../../../shared/adapters/firestore/store.ts';
import { callerOf } from '../../support/stack/stack.ts';
import { connectEmulator } from '../../support/stores/emulator-client.ts';
import { cpuMsOf } from '../frame/measure.ts';
import { detectionOf, type Target, type Way } from './way.ts';

export type StackWay = Way & { stack: Stack };

/** Starts the whole service on this machine with the emulators. Events are pushed to `ingest` as Pub/Sub does. */
export async function startStackWay(
  target: Target,
  options: Pick<StackOptions, 'firestoreGib'> = {},
): Promise<StackWay> {
  const env = {
    ...process.env,
    NODE_EXTRA_CA_CERTS: target.certificateFile,
    WEBHOOK_ALLOW_HOSTS: `localhost:${target.port}`,
  };
  const stack = await startStack({ ...options, env });
  const { run, ports } = stack;
  await makeEndpoints(stack, target);
  const ingest = addressOf(ports, 'ingest');
  const tokens = createIdentityTokens(run.issuer);
  const pool = new Pool(ingest, { connections: 32, pipelining: 1 });
  const db = connectEmulator(run);
  const store = createFirestoreStore(db);
  const count = (status: string) =>
    store.count({ in: 'deliveries', where: [{ field: 'status', is: '==', value: status }] });
  return {
    stack,
    name: 'the local stack',
    about: 'ingest, Cloud Tasks’ stand-in, deliver and the emulator, each a process',
    async accept(event, path) {
      const { data, ...rest } = detectionOf(event, path);
      const message = { ...rest, messageId: event, data: data.toString('base64') };
      const authorization = `Bearer ${await tokens(accountsOf(run.projectId).push, ingest)}`;
      const headers = { 'Content-Type': 'application/json', authorization };
      const push = () => pool.request({ method: 'POST', path: '/', headers, body: JSON.stringify({ message }) });
      // Retries once, as Pub/Sub would: the connection may close while the request is on its way.
      const answer = await push().catch(push);
      const text = await answer.body.text();
      if (answer.statusCode !== 204) throw new Error(`ingest answered ${answer.statusCode}: ${text}`);
    },
    onTheWay: () => count('pending'),
    async ledger() {
      const [delivered = 0, failed = 0, held = 0, waiting = 0] = await Promise.all(
        ['delivered', 'failed', 'held', 'pending'].map(count),
      );
      return { delivered, failed, held, waiting };
    },
    othersCpuMs: () => {
      const { main: _, ...others } = stack.run.pids;
      return cpuMsOf(Object.values(others));
    },
    async stop() {
      await pool.destroy();
      await db.terminate();
      await stack.stop();
    },
  };
}

async function makeEndpoints(stack: Stack, { port, endpoints, timeoutSeconds }: Target): Promise<void> {
  const { call } = callerOf(stack);
  for (const path of endpoints) {
    const body = {
      url: `https://localhost:${port}/${path}`,
      filter: { objects: [path] },
      generateSecret: true,
      timeoutSeconds,
    };
    const { status, body: answer } = await call('POST', '/v1/webhooks', { body });
    if (status !== 201) throw new Error(`the endpoint was answered ${status}: ${JSON.stringify(answer)}`);
  }
}
