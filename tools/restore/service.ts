import type { Firestore } from '@google-cloud/firestore';
import { createSecretBox } from '../../shared/adapters/auth/secret-box.ts';
import { createFirestoreStore } from '../../shared/adapters/firestore/store.ts';
import { newToken, startTimer } from '../../shared/adapters/world.ts';
import { actOnAlert } from '../../shared/app/alerts/actions.ts';
import type { Bearer } from '../../shared/app/bearer.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import type { Frames, World } from '../../shared/app/ports.ts';
import { blankWebhook, changed } from '../../shared/app/webhooks/record.ts';
import { ownerOf } from '../../shared/app/webhooks/secrets.ts';
import { settingsTable } from '../../shared/config.ts';
import { waitsAt } from '../../shared/domain/limits.ts';

const operator: Bearer = { subject: 'user:drill', scopes: new Set(), groups: null };
const silent = { info() {}, warn() {}, error() {} };
const frames: Frames = {
  bucket: 'frames',
  madeAt: async () => null,
  sign: async (object) => `https://frames.invalid/${object}`,
  signUpload: async () => {
    throw new Error('nothing is brought in a drill');
  },
  erase: async () => ({ erased: 0, isMore: false }),
};
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const webhookId = '00000000-0000-4000-8000-000000000001';

/** The world of use cases on a database, without wakes: the sweep finds what is due. */
export function worldOn(client: Firestore): World {
  return {
    store: createFirestoreStore(client),
    waker: { wake: async () => {} },
    log: silent,
    now: () => new Date().toISOString(),
    random: Math.random,
    after: startTimer,
    newToken,
    waits: waitsAt(1),
    consoleUrl: 'https://console.invalid',
    reportedGroups: 'trust',
    unsignedHeals: 'accept',
  };
}

/** Opens the first sealed secret of an endpoint. `dataKeys`: the setting DATA_KEYS. */
export function opensSecret(dataKeys: string): (world: World) => Promise<string> {
  const box = createSecretBox(settingsTable.dataKeys.read(dataKeys));
  return async ({ store }) => {
    const webhooks = await store.find({ in: 'webhooks', limit: 1000 });
    const sealed = webhooks.find(({ data }) => data.secret !== null);
    if (!sealed?.data.secret) return 'no endpoint has a secret';
    await box.open(sealed.data.secret, ownerOf(sealed.id, 'secret'));
    return `the secret of endpoint ${sealed.id} is readable`;
  };
}

/** The service on a database, as far as a drill needs it. `dataKeys`: the setting DATA_KEYS. */
export function serviceOn(client: Firestore, dataKeys: string) {
  const world = worldOn(client);
  const box = createSecretBox(settingsTable.dataKeys.read(dataKeys));
  const report = (deviceId: string, body: object) =>
    takeMessage(
      world,
      {
        messageId: `${deviceId}-${Date.now()}`,
        publishTime: world.now(),
        attributes: { deviceId, kind: 'status' },
        data: Buffer.from(JSON.stringify(body)),
      },
      intake,
    );
  return {
    report,
    /** Creates cameras with open alerts (one acknowledged), a quarantined message, and an endpoint with a secret. */
    async fill(cameras: number, secret: string): Promise<void> {
      for (let n = 0; n < cameras; n += 1) {
        await report(`cam-${n}`, { groupId: `site-${n % 3}`, memory: { usedPercent: n % 2 === 0 ? 85 : 40 } });
      }
      await report('cam-0', { memory: 'much' });
      const [alert] = await world.store.find({ in: 'alerts', limit: 1 });
      if (!alert) throw new Error('no alert was opened');
      await actOnAlert(world, operator, alert.id, { kind: 'acknowledge' }, null);
      const blank = blankWebhook(webhookId, false, world.now());
      const data = changed(box, blank, { url: 'https://hooks.invalid/', secret }, world.now());
      await world.store.commit([{ kind: 'create', in: 'webhooks', id: webhookId, data }]);
    },
    /**
     * The secret of the endpoint.
     * @throws Error if the data keys cannot open it
     */
    async secret(): Promise<string> {
      const [stored = null] = await world.store.get('webhooks', [webhookId]);
      if (!stored?.data.secret) throw new Error('the endpoint or its secret is not there');
      return box.open(stored.data.secret, ownerOf(webhookId, 'secret'));
    },
    openAlerts: () => world.store.count({ in: 'alerts', where: [{ field: 'isOpen', is: '==', value: true }] }),
  };
}
