import type { Life } from '../../domain/alert/alert.ts';
import { alertContent, incidentContent, type MessageContent } from '../../domain/messages/content.ts';
import { isStillIn, type LinkRecord, linkIdOf } from '../../domain/notify/link.ts';
import { AppError, notFound } from '../../errors.ts';
import type { Occasion } from '../../schema/vocabulary.ts';
import { actOnAlert } from '../alerts/actions.ts';
import { createTrail } from '../audit/trail.ts';
import { put } from '../commit/commit.ts';
import { actOnIncident } from '../incidents/actions.ts';
import { withSiteNames } from '../messages/site-names.ts';
import type { Stored, World } from '../ports.ts';
import { loadConfiguration, recentConfiguration } from '../settings/configuration.ts';

/** The page of a link: the present state of the alert or incident, and whether it can still be acknowledged. */
export type LinkPage = { content: MessageContent; mayAcknowledge: boolean };

/**
 * Shows the alert or incident of a link. Changes nothing, because link previews of mail and chat programs request it too.
 * @throws AppError `not-found`, `link-used`, `link-expired`
 */
export async function readLink(world: World, token: string): Promise<LinkPage> {
  return pageOf(world, await loadUsable(world, token));
}

/**
 * Acknowledges the alert or incident of a link, once, as `link:<target>`. If it is acknowledged already or over, it does not change.
 * @throws AppError `not-found`, `link-used`, `link-expired`
 */
export async function useLink(
  world: World,
  token: string,
  { address, requestId }: { address: string | null; requestId: string },
): Promise<LinkPage> {
  const stored = await loadUsable(world, token);
  const { kind, id, target } = stored.data;
  const subject = `link:${target}`;
  const [action, resourceKind] =
    kind === 'alert' ? ['acknowledgeAlert', 'alerts'] : ['acknowledgeIncident', 'incidents'];
  const call = { subject, issuer: 'link', address, requestId, action, resourceKind, resourceId: id };
  const trail = createTrail(world, call);
  const used = put('links', stored.id, { ...stored.data, usedAt: world.now() }, stored);
  const own: World = {
    ...world,
    // The link is marked as used in the same commit, so that it counts as used exactly if it had an effect.
    trail: {
      ...trail,
      async beside(writes, read) {
        const besides = await trail.beside(writes, read);
        return { ...besides, writes: [...besides.writes, used] };
      },
    },
  };
  const bearer = { subject, scopes: new Set<never>(), groups: null };
  try {
    if (kind === 'alert') await actOnAlert(own, bearer, id, { kind: 'acknowledge' }, null);
    else await actOnIncident(own, bearer, id, { kind: 'acknowledge' }, null);
  } catch (error) {
    // A late visitor sees who acknowledged it, or that it is over.
    if (!(error instanceof AppError) || error.code !== 'invalid-transition') throw error;
  }
  await trail.settle();
  return pageOf(world, stored);
}

async function loadUsable(world: World, token: string): Promise<Stored<'links'>> {
  const { store, now } = world;
  const linkId = linkIdOf(token);
  const [stored = null] = linkId === null ? [] : await store.get('links', [linkId]);
  if (!stored) throw notFound('link');
  if (stored.data.usedAt !== null) throw new AppError('link-used', 'This link has been used: it works once.');
  if (stored.data.expiresAt <= now()) throw new AppError('link-expired', 'This link is older than a day.');
  // A former colleague keeps his mail.
  if (!isStillIn(stored.data, (await loadConfiguration(world)).teams))
    throw new AppError('link-expired', 'The address that this link was sent to is no longer in the team.');
  return stored;
}

async function pageOf(world: World, { data }: { data: LinkRecord }): Promise<LinkPage> {
  const { settings } = await recentConfiguration(world);
  const folder = data.kind === 'alert' ? 'alerts' : 'incidents';
  const writing = { now: world.now(), timeZone: settings.timeZone, link: `${world.consoleUrl}/${folder}/${data.id}` };
  if (data.kind === 'alert') {
    const [alert = null] = await world.store.get('alerts', [data.id]);
    if (!alert) throw notFound('alert');
    const [named = alert.data] = await withSiteNames(world, [alert.data]);
    return { content: alertContent(named, occasionOf(named), writing), mayAcknowledge: mayTake(named) };
  }
  const [incident = null] = await world.store.get('incidents', [data.id]);
  if (!incident) throw notFound('incident');
  return {
    content: incidentContent(incident.data, occasionOf(incident.data), writing),
    mayAcknowledge: mayTake(incident.data),
  };
}

function mayTake({ status }: Life): boolean {
  return status === 'active' || status === 'escalated';
}

function occasionOf({ isOpen, status }: Life): Occasion {
  if (!isOpen) return 'resolved';
  return status === 'acknowledged' ? 'acknowledged' : 'opened';
}
