import type { Message } from '../../../shared/domain/intake/pushed.ts';
import type { Report } from '../../../shared/schema/device/report.ts';
import type { ReportKind } from '../../../shared/schema/vocabulary.ts';
import { startOfTests } from '../world/world.ts';

let count = 0;

/** A message as our own bridge publishes it. Each call gives a new message, unless it sets an id. */
export function message(kind: string, body: unknown, given: Partial<Message> & { deviceId?: string } = {}): Message {
  const { deviceId = 'cam-1', ...rest } = given;
  count += 1;
  return {
    messageId: String(count),
    publishTime: startOfTests,
    attributes: { deviceId, kind },
    data: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
    ...rest,
  };
}

/** A report that is published some seconds after the start of the tests. */
export function report<K extends ReportKind>(
  kind: K,
  body: Report<K>['body'],
  seconds = 0,
  given: Partial<Report<K>> = {},
): Report<K> {
  count += 1;
  const receivedAt = new Date(Date.parse(startOfTests) + seconds * 1000).toISOString();
  return { deviceId: 'cam-1', kind, receivedAt, messageId: String(count), body, ...given } as Report<K>;
}
