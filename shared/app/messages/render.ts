import type { Delivery } from '../../domain/delivery/delivery.ts';
import type { IncidentRecord } from '../../domain/incident/incident.ts';
import { budget } from '../../domain/limits.ts';
import { bodyFor } from '../../domain/messages/bodies.ts';
import { digestLetter, heldLetter } from '../../domain/messages/digest.ts';
import {
  alertLetter,
  guardianLetter,
  incidentLetter,
  type Letter,
  type Writing,
} from '../../domain/messages/letters.ts';
import { messageIdOf } from '../../domain/notify/address.ts';
import { type LinkRecord, linkOf } from '../../domain/notify/link.ts';
import { holdsFor, occasionTable } from '../../domain/notify/occasions.ts';
import type { Instant } from '../../domain/time.ts';
import type { World } from '../ports.ts';
import { recentConfiguration } from '../settings/configuration.ts';
import { digestFacts } from './digest-facts.ts';
import { withSiteNames } from './site-names.ts';

/** A message as it leaves: its text, and the link in it, where it asks somebody to take something. */
export type Rendered = { body: string; link: LinkRecord | null };

/** A message to people as it is true now; null: nothing in it is true any more. */
export async function render(world: World, delivery: Delivery, now: Instant): Promise<Rendered | null> {
  const { message, slot, body } = delivery;
  if (!message || !slot) return { body, link: null };
  const token = world.newToken();
  const link = linkOf(message, delivery, token, now);
  const letter = await letterOf(world, delivery, now, link && `t/${token}`);
  return letter && { body: bodyFor(slot.form, letter), link };
}

async function letterOf(world: World, delivery: Delivery, now: Instant, link: string | null): Promise<Letter | null> {
  const { message } = delivery;
  if (!message) return null;
  const { store, consoleUrl } = world;
  const { settings } = await recentConfiguration(world);
  const { id, occasion } = message;
  const writing = (path: string): Writing => ({ now, timeZone: settings.timeZone, link: `${consoleUrl}/${path}` });
  switch (message.about) {
    case 'alert': {
      const [alert = null] = await store.get('alerts', [id]);
      if (!alert || !holdsFor(occasion, alert.data)) return null;
      const [named = alert.data] = await withSiteNames(world, [alert.data]);
      return alertLetter(named, occasion, writing(link ?? `alerts/${id}`));
    }
    case 'incident': {
      const [incident = null] = await store.get('incidents', [id]);
      if (!incident || !holdsFor(occasion, incident.data) || (await isNews(world, delivery, incident.data)))
        return null;
      return incidentLetter(incident.data, occasion, writing(link ?? `incidents/${id}`));
    }
    case 'guardian': {
      const [alert = null] = await store.get('guardianAlerts', [id]);
      return (
        alert && guardianLetter(alert.data, message, writing(`devices/${encodeURIComponent(alert.data.deviceId)}`))
      );
    }
    case 'digest':
      return digestLetter(await digestFacts(world, message), consoleUrl);
    case 'held':
      return heldLetter(message.count ?? 0, budget.smsInHour, consoleUrl);
    default:
      return message.about satisfies never;
  }
}

/** Whether it says that somebody has an incident, or that it is over, to a target that was never notified of it. */
async function isNews(
  { store }: World,
  { message, target, eventType, deliveryId }: Delivery,
  { incidentId, toldVersions }: IncidentRecord,
): Promise<boolean> {
  if (!message || !('team' in target) || target.kind === 'handoff') return false;
  if (occasionTable[message.occasion].phase === 'began') return false;
  const ids = toldVersions.map((version) => messageIdOf(target, eventType, `${incidentId} ${version}`));
  const earlier = await store.get(
    'deliveries',
    ids.filter((id) => id !== deliveryId),
  );
  return !earlier.some((each) => each && each.data.dismissedReason !== 'overtaken');
}
