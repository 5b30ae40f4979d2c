import type { AlertRecord } from '../alert/alert.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { payloadVersion } from '../delivery/webhook-events.ts';
import { type Device, newDevice } from '../device/device.ts';
import { drillDeviceId } from '../ids.ts';
import { bodyFor } from '../messages/bodies.ts';
import { alertContent } from '../messages/content.ts';
import type { Instant } from '../time.ts';

const drillName = 'Drill: nothing is wrong';

/** The reserved device for one round. It is never stored. */
export function drillDevice(startedAt: Instant): Device {
  return {
    ...newDevice(drillDeviceId, startedAt),
    name: drillName,
    groupId: 'watchpost',
    setByHand: ['name', 'groupId'],
  };
}

/**
 * The deliveries of a drill's alert. Their bodies are fixed, because no record exists to render them from. They use no slot of a target, so that a
 * drill delays no alert, and create no event in the feed. Endpoints get a `test`.
 */
export function drillDeliveries(
  alert: AlertRecord,
  deliveries: readonly Delivery[],
  { now, consoleUrl }: { now: Instant; consoleUrl: string },
): Delivery[] {
  const content = alertContent(alert, 'opened', { now, timeZone: 'UTC', link: consoleUrl });
  const message = 'This is a drill of Watchpost itself. Nothing is wrong.';
  return deliveries.map((delivery) => ({
    ...delivery,
    eventType: 'test',
    alertId: null,
    deviceId: null,
    groupId: null,
    message: null,
    slot: null,
    recordId: null,
    body: delivery.slot
      ? bodyFor(delivery.slot.form, content)
      : JSON.stringify({
          ...{ eventType: 'test', version: payloadVersion, timestamp: now },
          ...{ webhookId: delivery.webhookId, message },
        }),
  }));
}
