import type { ConnectionReport } from '../schema/report.ts';
import type { Presence } from './device.ts';
import { type Instant, toInstant } from './time.ts';

/** Reasons of a broker that end a session because another one took its place: no loss. */
const replaced = new Set(['takenover', 'discarded']);

/**
 * Presence after a birth message, a last will or a broker's event, in whatever order they come: a connection is named by its epoch,
 * an older epoch changes nothing, and inside one epoch "lost" wins.
 */
export function withConnection(presence: Presence, receivedAt: Instant, body: ConnectionReport): Presence {
  return body.status === 'online' ? withOnline(presence, receivedAt, body) : withOffline(presence, receivedAt, body);
}

function withOnline(presence: Presence, receivedAt: Instant, body: ConnectionReport): Presence {
  const epoch = body.connectedAt ? toInstant(body.connectedAt) : receivedAt;
  if (presence.connectedAt !== null && epoch <= presence.connectedAt) return presence;
  // A loss that named no connection and was reported after this one belongs to it.
  const isLostSince = presence.connectedAt === null && presence.lostAt !== null && presence.lostAt > receivedAt;
  return {
    connectedAt: epoch,
    onlineReportedAt: receivedAt,
    lostAt: isLostSince ? presence.lostAt : null,
    lostReason: isLostSince ? presence.lostReason : null,
  };
}

function withOffline(presence: Presence, receivedAt: Instant, body: ConnectionReport): Presence {
  const reason = body.reason ?? null;
  if (reason !== null && replaced.has(reason)) return presence;
  const epoch = body.connectedAt ? toInstant(body.connectedAt) : null;
  if (epoch === null) {
    const isOfOlderConnection = presence.onlineReportedAt !== null && receivedAt < presence.onlineReportedAt;
    if (isOfOlderConnection || isLostBefore(presence, receivedAt)) return presence;
    return { ...presence, lostAt: receivedAt, lostReason: reason };
  }
  if (presence.connectedAt !== null && epoch < presence.connectedAt) return presence;
  if (epoch === presence.connectedAt && isLostBefore(presence, receivedAt)) return presence;
  return { ...presence, connectedAt: epoch, lostAt: receivedAt, lostReason: reason };
}

/** The earliest report of a loss says when it was lost. */
function isLostBefore(presence: Presence, receivedAt: Instant): boolean {
  return presence.lostAt !== null && presence.lostAt <= receivedAt;
}
