import type { StoredCertificate } from '../../domain/delivery/webhook.ts';
import { msBetween, spell } from '../../domain/time.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { noticeOf } from '../commit/notice.ts';
import type { World } from '../ports.ts';
import { recentConfiguration, revisionWrite } from '../settings/configuration.ts';

/** How long before its end a certificate is reported. Never scaled: certificates live by the calendar. */
const toldBeforeMs = 30 * 24 * 60 * 60_000;

/**
 * Tells the team `operations` once of each certificate of an endpoint that ends within 30 days. Looks at the beginning of each hour.
 * @returns how many it told of
 */
export async function tellOfCertificates(world: World): Promise<number> {
  if (new Date(world.now()).getUTCMinutes() !== 0) return 0;
  const { webhooks } = await recentConfiguration(world);
  let told = 0;
  for (const { webhookId } of webhooks.filter(({ clientCertificate }) => isEnding(world, clientCertificate))) {
    if (await tell(world, webhookId)) told += 1;
  }
  return told;
}

function isEnding({ now }: World, certificate: StoredCertificate | undefined): certificate is StoredCertificate {
  return certificate !== undefined && !certificate.isTold && msBetween(now(), certificate.expiresAt) < toldBeforeMs;
}

async function tell(world: World, webhookId: string): Promise<boolean> {
  return decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('webhooks', [webhookId]);
    const certificate = stored?.data.clientCertificate;
    if (!stored || !isEnding(world, certificate)) return { writes: [], wakes: [], answer: false };
    const now = world.now();
    const { url, contact, version } = stored.data;
    const notice = noticeOf(
      {
        noticeId: `certificate-${webhookId}-${version}`,
        kind: 'certificate-ends',
        webhookId,
        text: `Our certificate for the webhook endpoint ${webhookId} at ${new URL(url).host} ends at ${certificate.expiresAt}, in ${spell(msBetween(now, certificate.expiresAt))}.${contact ? ` Ask ${contact}.` : ''}`,
      },
      now,
    );
    const data = { ...stored.data, clientCertificate: { ...certificate, isTold: true }, version: version + 1 };
    return {
      writes: [
        { kind: 'replace', in: 'webhooks', id: webhookId, data, revision: stored.revision },
        await revisionWrite(world.store),
        notice.write,
      ],
      wakes: [notice.wake],
      answer: true,
    };
  });
}
