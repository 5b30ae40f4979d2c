import type { Sender } from '../../../app/ports.ts';
import type { OutboundClient } from '../../outbound/client.ts';
import { notTaken, taken } from '../outcome.ts';

const timeoutMs = 10_000;

/** Sends a beat to an external watchdog. The path is a secret and an answer may repeat it, so neither is stored. */
export function createHeartbeatSender({ urls, client }: { urls: readonly string[]; client: OutboundClient }): Sender {
  return {
    async send({ target, deliveryId }) {
      if (target.kind !== 'heartbeat') throw new Error(`delivery ${deliveryId} is not a heartbeat`);
      const url = urls[target.index];
      if (url === undefined) return notTaken('not_configured', 'There is no such address.', { isRetryable: false });
      const headers = { 'User-Agent': 'Watchpost/1.0' };
      const { statusCode, failure } = await client.send({ url, method: 'GET', headers, body: null, timeoutMs });
      if (failure || statusCode === null) {
        const errorClass = failure?.errorClass ?? 'connection_reset';
        return notTaken(errorClass, 'The external watchdog did not answer.', { isRetryable: false, statusCode });
      }
      if (statusCode >= 200 && statusCode < 300) return taken(statusCode, null);
      const detail = `The external watchdog answered ${statusCode}.`;
      return notTaken('http_status', detail, { isRetryable: false, statusCode });
    },
  };
}
