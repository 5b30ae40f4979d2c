import type { Reporting } from '../../schema/common.ts';
import type { ConnectionReport } from '../../schema/device/report.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import { thresholds, type Waits } from '../limits.ts';
import { type Instant, later, msBetween, plus, toInstant } from '../time.ts';

/** How long a device may be silent, or disconnected, before that is an alert. `silenceSeconds` null: its silence is ignored. */
export type Patience = {
  silenceSeconds: number | null;
  lossSeconds: number;
  /** How often it reports. */
  periodSeconds: number;
};

/** The part of the settings about devices: how they report, and their limits. */
export type DeviceSettings = Pick<Settings, 'reporting' | 'groupReporting' | 'limits'>;

/** The default: a report each minute. */
const usual: Reporting = { periodSeconds: 60 };
/** The contract: lost for more than 5 minutes. */
const leastSeconds = 300;

/** The patience with one device: as set for the device, else for its group, else for the fleet. */
export function patienceOf(
  device: { groupId: string; reporting: Reporting | null },
  { reporting, groupReporting = {} }: DeviceSettings,
): Patience {
  const ofGroup = Object.hasOwn(groupReporting, device.groupId) ? groupReporting[device.groupId] : undefined;
  const { periodSeconds, silentAfterSeconds, lossPatienceSeconds } = device.reporting ?? ofGroup ?? reporting ?? usual;
  return {
    silenceSeconds: periodSeconds === 0 ? null : (silentAfterSeconds ?? leastSeconds + 2 * periodSeconds),
    lossSeconds: lossPatienceSeconds ?? leastSeconds,
    periodSeconds,
  };
}

export const usualPatience = patienceOf({ groupId: '', reporting: null }, {});

/** When a connection that was lost at `lostAt` raises an alert. */
export function lossRaisedAt(
  { patience, restoredAt }: { patience: Patience; restoredAt?: Instant },
  lostAt: Instant,
  waits: Waits,
): Instant {
  return plus(later(lostAt, restoredAt ?? lostAt), patience.lossSeconds * waits.settingsSecond);
}

/**
 * When a device counts as silent unless it reports. Null where its silence is ignored. Never too early: an unchanged report may have come
 * up to `lastSeenCoarse` after the last one that was written.
 */
export function silentAtOf(
  device: { patience: Patience; lastSeenAt: Instant | null; registeredAt: Instant; restoredAt?: Instant },
  waits: Waits,
): Instant | null {
  const { silenceSeconds } = device.patience;
  if (silenceSeconds === null) return null;
  const heardAt = device.lastSeenAt ?? device.registeredAt;
  return plus(
    later(heardAt, device.restoredAt ?? heardAt),
    silenceSeconds * waits.settingsSecond + waits.lastSeenCoarse,
  );
}

/**
 * The latest time at which a loss is declared, even while the platform is blind: nothing contradicted it after it was handled. A loss that was
 * handled late is declared correspondingly later.
 */
export function lossDeclaredAt(
  device: { patience: Patience; restoredAt?: Instant },
  loss: Pick<Loss, 'at' | 'heardAt'>,
  waits: Waits,
): Instant {
  const raisedAt = lossRaisedAt(device, loss.at, waits);
  const heardAt = later(later(loss.at, loss.heardAt ?? loss.at), device.restoredAt ?? loss.at);
  return later(raisedAt, plus(heardAt, waits.lossDeclaredWithin));
}

/**
 * A connection that was reported lost. `epoch` identifies the connection if the report names it; `statedAt` is the time in the report, and `heardAt`
 * the time when the report was first handled.
 */
export type Loss = {
  at: Instant;
  epoch: Instant | null;
  reason: string | null;
  statedAt: Instant | null;
  heardAt?: Instant;
};

/** A connection, identified by its epoch (the cloud time of its report where that names none), with the time in the report. */
export type Connect = { epoch: Instant; at: Instant; isNamed: boolean; statedAt: Instant | null };

/** What is known of the MQTT connection. The epoch (`connectedAt`) identifies one connection. Later connections have greater epochs. */
export type Presence = {
  connectedAt: Instant | null;
  /** Cloud time at which the newest connection was first reported. */
  onlineReportedAt: Instant | null;
  /** Losses that may belong to the newest connection. */
  losses: Loss[];
  /** The first connection ever known, which is not a reconnect. */
  firstEpoch: Instant | null;
  /** The last connections in the order of their epochs, each with the cloud time at which it was first reported. */
  connects: Connect[];
};

export const noPresence: Presence = {
  connectedAt: null,
  onlineReportedAt: null,
  losses: [],
  firstEpoch: null,
  connects: [],
};

/** Broker reasons for a session that replaced this one, which is no loss. */
const replaced = new Set(['takenover', 'discarded']);

/**
 * Presence after a birth message, a last will or a broker's event, in any order: the epoch identifies a connection, an older epoch changes
 * nothing, and within one epoch a loss wins.
 */
export function withConnection(
  presence: Presence,
  receivedAt: Instant,
  body: ConnectionReport,
  heardAt = receivedAt,
): Presence {
  return body.status === 'online'
    ? withOnline(presence, receivedAt, body)
    : withOffline(presence, receivedAt, body, heardAt);
}

/**
 * Two events without an epoch are copies of one event if they carry the same time and came within `timed` of each other, or if they came
 * within `untimed`.
 */
const copyMs = { timed: 10 * 60_000, untimed: 2000 };

type StatedTime = { at: Instant; statedAt: Instant | null };

function isCopy(a: StatedTime, b: StatedTime): boolean {
  const apart = Math.abs(msBetween(a.at, b.at));
  return apart <= copyMs.untimed || (a.statedAt !== null && a.statedAt === b.statedAt && apart <= copyMs.timed);
}

function statedAtOf({ timestamp }: ConnectionReport): Instant | null {
  return timestamp === undefined ? null : toInstant(timestamp);
}

function withOnline(given: Presence, receivedAt: Instant, body: ConnectionReport): Presence {
  const statedAt = statedAtOf(body);
  const isNamed = body.connectedAt !== undefined;
  const copy = given.connects.find(
    (known) =>
      !isNamed &&
      !known.isNamed &&
      statedAt !== null &&
      statedAt === known.statedAt &&
      isCopy(known, { at: receivedAt, statedAt }),
  );
  if (copy && copy.at <= receivedAt) return given;
  const presence = copy ? without(given, copy, receivedAt) : given;
  const epoch = body.connectedAt ? toInstant(body.connectedAt) : receivedAt;
  const { connectedAt, onlineReportedAt, firstEpoch } = presence;
  const next = {
    ...presence,
    firstEpoch: firstEpoch === null || epoch < firstEpoch ? epoch : firstEpoch,
    connects: withConnect(presence.connects, { epoch, at: receivedAt, isNamed, statedAt }),
  };
  if (connectedAt !== null && epoch < connectedAt) return next;
  const isNewer = connectedAt === null || epoch > connectedAt;
  const isFirstCopy = isNewer || onlineReportedAt === null || receivedAt < onlineReportedAt;
  const reportedAt = isFirstCopy ? receivedAt : onlineReportedAt;
  return fenced({ ...next, connectedAt: epoch, onlineReportedAt: reportedAt });
}

/** Removes a copy that was applied before the earliest copy arrived. */
function without(presence: Presence, copy: Connect, firstAt: Instant): Presence {
  const isNewest = presence.connectedAt === copy.epoch;
  return {
    ...presence,
    connects: presence.connects.filter((connect) => connect !== copy),
    ...(isNewest ? { connectedAt: firstAt, onlineReportedAt: firstAt } : {}),
  };
}

function withConnect(connects: readonly Connect[], added: Connect): Connect[] {
  const known = connects.find((connect) => connect.epoch === added.epoch);
  if (known && known.at <= added.at) return [...connects];
  const all = [...connects.filter((connect) => connect !== known), added];
  return all.toSorted((a, b) => (a.epoch < b.epoch ? -1 : 1)).slice(-thresholds.connectsKept);
}

function withOffline(presence: Presence, receivedAt: Instant, body: ConnectionReport, heardAt: Instant): Presence {
  const reason = body.reason ?? null;
  if (reason !== null && replaced.has(reason)) return presence;
  const epoch = body.connectedAt ? toInstant(body.connectedAt) : null;
  if (epoch !== null && presence.connectedAt !== null && epoch < presence.connectedAt) return presence;
  const statedAt = statedAtOf(body);
  if (presence.losses.some((loss) => loss.at === receivedAt && loss.epoch === epoch && loss.reason === reason)) {
    return presence;
  }
  const added: Loss = { at: receivedAt, epoch, reason, statedAt, heardAt };
  const copies = epoch === null ? presence.losses.filter((loss) => loss.epoch === null && isCopy(loss, added)) : [];
  if (copies.some((copy) => copy.at <= receivedAt)) return presence;
  const isNewer = epoch !== null && (presence.connectedAt === null || epoch > presence.connectedAt);
  const losses = [...presence.losses.filter((loss) => !copies.includes(loss)), added].toSorted(compareLosses);
  return fenced({
    ...presence,
    ...(isNewer ? { connectedAt: epoch, onlineReportedAt: null } : {}),
    losses: losses.slice(0, thresholds.lossesKept),
  });
}

/** Removes the losses of connections that are over. */
function fenced(presence: Presence): Presence {
  const { connectedAt, losses } = presence;
  const kept = losses.filter(({ epoch }) => epoch === null || connectedAt === null || epoch >= connectedAt);
  return kept.length === losses.length ? presence : { ...presence, losses: kept };
}

/** Removes losses that a later sign of life has answered. No report that may still arrive can make them count again. */
export function withoutAnswered(presence: Presence, aliveAt: Instant | null, waits: Waits): Presence {
  const kept = presence.losses.filter((loss) => !isAnswered(loss, aliveAt, waits));
  return kept.length === presence.losses.length ? presence : { ...presence, losses: kept };
}

/**
 * The loss from which the device has not returned. Null while it is connected. It returns by a newer connection, or by a report published
 * later than the loss by more than the settle time (an earlier one may have been on its way when the connection was lost).
 */
export function standingLoss(presence: Presence, aliveAt: Instant | null, waits: Waits): Loss | null {
  const { connectedAt, onlineReportedAt } = presence;
  const counts = (loss: Loss) =>
    (loss.epoch === null ? onlineReportedAt === null || loss.at > onlineReportedAt : loss.epoch === connectedAt) &&
    !isAnswered(loss, aliveAt, waits);
  return presence.losses.find(counts) ?? null;
}

/** When a lost device was known to be connected for the last time: at the loss that was told, or at its last sign of life. */
export function lostAtOf(
  device: { presence: Presence; aliveAt: Instant | null; lastSeenAt: Instant | null; registeredAt: Instant },
  waits: Waits,
): Instant {
  const { presence, aliveAt, lastSeenAt, registeredAt } = device;
  return standingLoss(presence, aliveAt, waits)?.at ?? lastSeenAt ?? registeredAt;
}

type HeardState = { lastSeenAt: Instant | null; presence: Presence };
/** What was heard of the guardian of a device. */
type HeardGuardian = {
  guardian: { recent: readonly unknown[] };
  guardianTrust?: { epochs: readonly unknown[]; health: unknown } | null;
};

/** Whether a sign of life of a device, or what a broker or its last will told of its connection, shows that it was ever there. */
export function wasSeen({ lastSeenAt, presence: { connectedAt, losses } }: HeardState): boolean {
  return lastSeenAt !== null || connectedAt !== null || losses.length > 0;
}

/** Whether anything shows that a device was ever there. One whose guardian alone was heard is installed, but has never connected. */
export function wasEverHeard(device: HeardState & HeardGuardian): boolean {
  const { guardian, guardianTrust } = device;
  const isGuardianHeard = guardianTrust ? guardianTrust.health !== null || guardianTrust.epochs.length > 0 : false;
  return wasSeen(device) || isGuardianHeard || guardian.recent.length > 0;
}

/** Cloud times of the reconnects that are kept, oldest first. The first connection ever is not one. */
export function reconnectsOf({ connects, firstEpoch }: Presence): Instant[] {
  const sorted = connects.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const first: Connect[] = [];
  for (const connect of sorted) {
    if (connect.isNamed || !first.some((known) => !known.isNamed && isCopy(known, connect))) first.push(connect);
  }
  return first.flatMap(({ epoch, at }) => (epoch === firstEpoch ? [] : [at]));
}

/** Reconnects in the sliding window that ends at `now`. */
export function reconnectsAt(presence: Presence, now: Instant, waits: Waits): Instant[] {
  return reconnectsOf(presence).filter((at) => msBetween(at, now) < waits.reconnectWindow);
}

function isAnswered(loss: Loss, aliveAt: Instant | null, waits: Waits): boolean {
  return aliveAt !== null && msBetween(loss.at, aliveAt) > waits.lossSettle;
}

function compareLosses(a: Loss, b: Loss): number {
  const [first, second] = [a, b].map(({ at, epoch, reason }) => `${at} ${epoch} ${reason}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}
