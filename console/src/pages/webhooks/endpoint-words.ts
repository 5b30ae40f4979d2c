import type { WebhookHealth } from '../../../../shared/schema/webhook/health.ts';
import type { Webhook } from '../../../../shared/schema/webhook/webhook.ts';
import { minuteTime } from '../../format.ts';
import type { Said } from '../../said.ts';

/** The name of an endpoint: its description, or else its host. */
export function endpointName({ description, url }: Pick<Webhook, 'description' | 'url'>): string {
  return description || hostOf(url);
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** `3 of 10 attempts since 06:40, 7 waiting` */
export function attemptWords({
  recent: { failed, of, since },
  waiting,
}: Pick<WebhookHealth, 'recent' | 'waiting'>): Said {
  const parts = { failed, of, since: since === null ? '' : minuteTime(since), waiting };
  return { text: '{failed} of {of} attempts since {since}, {waiting} waiting', parts };
}

/** `99.8 % of 1,000, 2 failed`: rounded down, so that one failure among many never shows as 100 %. */
export function successWords({ delivered, failed }: WebhookHealth['last24h']): string {
  const ended = delivered + failed;
  if (ended === 0) return 'no deliveries';
  const percent = Math.floor((delivered * 1000) / ended) / 10;
  return failed > 0
    ? `${percent} % of ${ended.toLocaleString('en')}, ${failed.toLocaleString('en')} failed`
    : `100 % of ${ended.toLocaleString('en')}`;
}
