import type { Life } from '../../domain/alert/alert.ts';
import { firstOutcomeOf } from '../../domain/delivery/decision.ts';
import type { Delivery, Message } from '../../domain/delivery/delivery.ts';
import type { IncidentRecord } from '../../domain/incident/incident.ts';
import { bodyFor } from '../../domain/messages/bodies.ts';
import {
  alertContent,
  guardianContent,
  incidentContent,
  type MessageContent,
  type MessageContext,
} from '../../domain/messages/content.ts';
import { type DigestFacts, digestContent, heldContent } from '../../domain/messages/digest.ts';
import { messageIdOf } from '../../domain/notify/address.ts';
import { type LinkRecord, linkOf } from '../../domain/notify/link.ts';
import { holdsFor, occasionTable } from '../../domain/notify/occasions.ts';
import { comingStep } from '../../domain/notify/policy.ts';
import { spellClock } from '../../domain/settings/local-time.ts';
import type { Instant } from '../../domain/time.ts';
import type { World } from '../ports.ts';
import { recentConfiguration } from '../settings/configuration.ts';
import { digestFacts } from './digest-facts.ts';
import { withSiteNames } from './site-names.ts';

/** A rendered message: its text, its link if it asks for an acknowledgement, and whether it is about something CRITICAL. */
export type MessageText = { body: string; link: LinkRecord | null; isCritical: boolean };

/**
 * Renders a message from the present state. Null: nothing in it is true any more. A digest with a single entry is rendered as a message about that
 * entry.
 */
export async function render(world: World, delivery: Delivery, now: Instant): Promise<MessageText | null> {
  const { message, slot, body } = delivery;
  if (!message || !slot) return { body, link: null, isCritical: false };
  const isWindow = message.about === 'digest' || message.about === 'held';
  const digest = isWindow ? await digestFacts(world, message) : null;
  const said = message.about === 'digest' && digest?.only ? { ...message, ...digest.only } : message;
  const token = world.newToken();
  const link = linkOf(said, delivery, token, now);
  const path = link && `t/${token}`;
  const content = await contentOf(world, { delivery, message: said, facts: digest?.facts ?? null }, now, path);
  return content && { body: bodyFor(slot.form, content), link, isCritical: content.severity === 'CRITICAL' };
}

/** `facts`: only for a digest. */
type MessageFacts = { delivery: Delivery; message: Message; facts: DigestFacts | null };

async function contentOf(
  world: World,
  { delivery, message, facts }: MessageFacts,
  now: Instant,
  link: string | null,
): Promise<MessageContent | null> {
  const { store, consoleUrl } = world;
  const configuration = await recentConfiguration(world);
  const { settings } = configuration;
  const { id, occasion } = message;
  const writing = (path: string): MessageContext => ({
    now,
    timeZone: settings.timeZone,
    link: `${consoleUrl}/${path}`,
  });
  const comingOf = (life: Life) => comingStep(life, configuration, now, world.waits);
  switch (message.about) {
    case 'alert': {
      const [alert = null] = await store.get('alerts', [id]);
      if (!alert || !holdsFor(occasion, alert.data)) return null;
      const [named = alert.data] = await withSiteNames(world, [alert.data]);
      return alertContent(named, occasion, { ...writing(link ?? `alerts/${id}`), coming: comingOf(named) });
    }
    case 'incident': {
      const [incident = null] = await store.get('incidents', [id]);
      if (!incident || !holdsFor(occasion, incident.data)) return null;
      if (!facts && (await isNews(world, delivery, incident.data))) return null;
      const coming = comingOf(incident.data);
      return incidentContent(incident.data, occasion, { ...writing(link ?? `incidents/${id}`), coming });
    }
    case 'guardian': {
      const [alert = null] = await store.get('guardianAlerts', [id]);
      return (
        alert && guardianContent(alert.data, message, writing(`devices/${encodeURIComponent(alert.data.deviceId)}`))
      );
    }
    case 'digest':
      return facts && digestContent(facts, consoleUrl);
    case 'held':
      return (
        facts &&
        heldContent(heldOf(message, now), facts, { clock: (at) => spellClock(at, now, settings.timeZone), consoleUrl })
      );
    default:
      return message.about satisfies never;
  }
}

function heldOf({ count = 0, sent = [], nextAt }: Message, now: Instant) {
  return { count, sent, nextAt: nextAt ?? now };
}

/** Whether it reports an acknowledgement or the end of an incident to a target that was never notified of the incident. */
async function isNews(
  { store }: World,
  { message, target, eventType, deliveryId }: Delivery,
  { incidentId, notifiedVersions, outage }: IncidentRecord,
): Promise<boolean> {
  if (!message || !('team' in target) || target.kind === 'handoff') return false;
  if (occasionTable[message.occasion].phase === 'began') return false;
  const own = notifiedVersions.map((version) => ({ incidentId, version }));
  // Who was told that the rest of another outage lasts knows of this one.
  const told = outage?.continues ? [...own, outage.continues] : own;
  const ids = told.map((each) => messageIdOf(target, eventType, `${each.incidentId} ${each.version}`));
  const earlier = await store.get(
    'deliveries',
    ids.filter((id) => id !== deliveryId),
  );
  return !earlier.some((each) => each && firstOutcomeOf(each.data).reason !== 'overtaken');
}
