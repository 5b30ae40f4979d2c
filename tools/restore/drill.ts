import { randomBytes } from 'node:crypto';
import { Firestore } from '@google-cloud/firestore';
import { type Contents, contentsOf, differences, exportAll, wipe } from './databases.ts';
import { serviceOn } from './service.ts';

/** The environment of a drill: the database that is lost, and how to create another from its export. */
export type Ground = {
  projectId: string;
  /** host:port of the emulator that holds the database. */
  host: string;
  /**
   * Starts another database with the content of the export.
   * @returns its host:port
   */
  restore(exportFile: string): Promise<string>;
  /** The backup copy of the data keys, which is all that remains of them. A test passes wrong ones. */
  copyOfKeys(dataKeys: string): string;
  cameras: number;
};

export type Step = { name: string; tookMs: number; what: string };

/**
 * Fills and deletes a database, and restores the service on another. The steps: fill, export, wipe, restore, compare,
 * keys, switch.
 * @param onStep called after each step
 * @throws Error that says which step failed, and why
 */
export async function restoreDrill(ground: Ground, onStep: (step: Step) => void): Promise<void> {
  const { projectId, host, cameras } = ground;
  const step = async <T>(name: string, go: () => Promise<[what: string, T]>): Promise<T> => {
    const startedAt = performance.now();
    try {
      const [what, result] = await go();
      onStep({ name, tookMs: performance.now() - startedAt, what });
      return result;
    } catch (error) {
      throw new Error(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  };
  const dataKeys = `drill:${randomBytes(32).toString('base64')}`;
  const secret = randomBytes(16).toString('hex');
  const lost = clientOf(projectId, host);
  const clients = [lost];
  try {
    const wanted = await step('fill', async () => {
      await serviceOn(lost, dataKeys).fill(cameras, secret);
      const contents = await contentsOf(lost);
      return [`${sumOf(contents)} records in ${Object.keys(contents).length} collections`, contents];
    });
    const file = await step('export', async () => ['', await exportAll(host, projectId)]);
    await step('wipe', async () => {
      await wipe(host, projectId);
      const left = sumOf(await contentsOf(lost));
      if (left > 0) throw new Error(`${left} records are left`);
      return ['nothing is left', undefined];
    });
    const restored = await step('restore', async () => {
      const client = clientOf(projectId, await ground.restore(file));
      clients.push(client);
      return ['into another database', client];
    });
    await step('compare', async () => {
      const found = await contentsOf(restored);
      const differing = differences(wanted, found);
      if (differing.length > 0) throw new Error(`other than before: ${differing.join(', ')}`);
      return [`${sumOf(found)} records, each as it was`, undefined];
    });
    const service = serviceOn(restored, ground.copyOfKeys(dataKeys));
    await step('keys', async () => {
      if ((await service.secret()) !== secret) throw new Error('the copy of the data keys opens something else');
      return ['the copy of the data keys opens the secret of an endpoint', undefined];
    });
    await step('switch', async () => {
      const before = await service.openAlerts();
      await service.report('cam-new', { groupId: 'site-0', memory: { usedPercent: 95 } });
      const after = await service.openAlerts();
      if (after !== before + 1) throw new Error(`${after} alerts are open after a report, not ${before + 1}`);
      if (sumOf(await contentsOf(lost)) > 0) throw new Error('something was written into the database that is lost');
      return ['the service goes on with the other database', undefined];
    });
  } finally {
    await Promise.all(clients.map((client) => client.terminate()));
  }
}

/** A client of one emulator. FIRESTORE_EMULATOR_HOST is not used, because it would apply to all clients. */
function clientOf(projectId: string, host: string): Firestore {
  const [servicePath, port] = host.split(':');
  return new Firestore({ projectId, host, servicePath, port: Number(port), ssl: false, customHeaders: emulatorRights });
}

const emulatorRights = { Authorization: 'Bearer owner' };

function sumOf(contents: Contents): number {
  return Object.values(contents).reduce((sum, { records }) => sum + records, 0);
}
