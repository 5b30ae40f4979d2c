import type { MeasureName } from '../schema/vocabulary.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * The thresholds of the alert conditions. "contract" is the published alert catalogue. Where it defines only the beginning of a condition,
 * the ending value is ours, with a distance between them, so that a reading near the threshold does not flap (hysteresis).
 */
export const thresholds = {
  /** CONN_002: more reconnects than this in `reconnectWindow` (contract). */
  reconnects: 3,
  /** SEC_003: the certificate ends in less than this (contract). It refers to a date in the certificate, so it is never scaled. */
  certificateExpiringDays: 7,
  /** SEC_004: this many failed authentications in `authWindow`. */
  failedAuthentications: 5,
  /** Longest period over which a report may count its failures so that all of them count, seconds: `authWindow` at natural speed. */
  authWindowSeconds: 600,
  /**
   * Facts kept of a device: reports of failed authentications, losses, connections, guardian alerts, attempts, and facts that a person has settled.
   */
  failuresKept: 16,
  lossesKept: 16,
  connectsKept: 40,
  guardianKept: 12,
  attemptsKept: 8,
  settledKept: 32,
  /** CFG_001: failed heals of one drift. */
  healFailures: 3,
  /** Events that are kept, so that one that is sent again is recognized. */
  eventsKept: 16,
  /** Reopenings within the flapping window that mark an alert as flapping. */
  flappingReturns: 3,
  /** Times that a camera or a place was dark within `spellsWindow` that mark its loss or outage as flapping, and such times that are kept. */
  flappingSpells: 3,
  spellsKept: 20,
  /** Readings kept of each measure, so that one that arrives late finds its place. */
  readingsKept: 8,
  /**
   * Delayed messages are handled at least this many times faster than they came: two hours of them in ten minutes
   * (`test/fault/simulated/store-away.rest.test.ts`).
   */
  catchUpSpeed: 12,
  /** Canaries in a row that end a blindness. */
  canariesInARow: 2,
  /** Groups (in a fleet of one group: devices) whose reports outweigh a missing canary. */
  witnessGroups: 2,
  witnessDevices: 3,
  /**
   * Without canaries: the number of devices of a group that counts, how many such groups a fleet of several needs, and the shares of
   * devices that must fall silent together.
   */
  largeGroup: 5,
  largeGroups: 2,
  silentShare: 0.3,
  silentShareOfFew: 0.9,
  /**
   * Outages: devices that a place must have to count; shares of devices that make a site (or a narrower place) and a wider place dark; share that may
   * still be dark when an outage ends; places that must be hit before a whole group is.
   */
  leastOfPlace: 3,
  placesOfGroup: 5,
  darkOfSite: 0.5,
  darkOfWide: 0.9,
  darkAtEnd: 0.1,
  /**
   * Cameras that make an incident: of one model and firmware whose reports cannot be read for the same reason, and of one group whose guardians have
   * no effect.
   */
  unreadableDevices: 5,
  unguardedDevices: 3,
  /** Groups that get an incident each when their guardians have no effect. With more groups there is one incident for all. */
  unguardedGroups: 5,
  /** Missing health messages in a row after which a guardian is silent. */
  healthsMissed: 3,
  /** Clock difference that is shown on the device record, seconds. */
  clockSkewSeconds: 60,
} as const;

/** Where a level of a measure begins, and where it ends: at the value, or under it. */
export type LevelLimits =
  | { above: number; endsAt: number }
  | { above: number; endsUnder: number }
  | { under: number; endsAt: number };

/** The levels of each measure in its unit (beginnings: contract), and the steps at which an open alert counts as worse. */
export const measureLimits = {
  memory: { high: { above: 80, endsAt: 75 }, critical: { above: 90, endsAt: 85 }, worse: [95, 99] },
  storage: { high: { under: 100, endsAt: 120 }, worse: [50, 10, 0] },
  latency: { high: { above: 500, endsUnder: 400 }, worse: [1000, 2000] },
} as const satisfies Record<MeasureName, { high: LevelLimits; critical?: LevelLimits; worse: readonly number[] }>;

/**
 * The budget of one target (an address, a phone or a room). Messages a minute besides a digest; text messages an hour, and how many of them are kept for
 * what is urgent; urgent messages an hour beside them, and how many of these may be about the security of one group; text messages an hour after which
 * ends and escalations of single cameras go to the digest; how often the notice of held messages is repeated, when their number has grown.
 */
export const budget = {
  direct: 3,
  smsInHour: 20,
  smsKept: 8,
  urgentInHour: 6,
  securityInHour: 3,
  smsBusy: 9,
  heldGrowth: 5,
} as const;

/** Every waiting time of the domain in milliseconds, at natural speed. */
const naturalWaits = {
  /** The contract's time of CONN_001, to judge mass silence. When one device is lost, its `patience` decides. */
  connectionLost: 5 * minute,
  /** A report shows that a lost device is back if it was published later than the loss by more than this. An earlier one may have been on its way. */
  lossSettle: 5 * second,
  /** How often a device reports by convention. Mass silence must last three of these longer than `connectionLost` to count as real. */
  reportPeriod: minute,
  /** CONN_002 counts reconnects in a window of this length (contract: per hour). */
  reconnectWindow: hour,
  /** SEC_004 counts failures in a window of this length and ends after this quiet. */
  authWindow: 10 * minute,
  authQuiet: hour,
  /** The notification of a new incident waits for this time, because it may become wider or end. */
  placeGrace: minute,
  /** Where a broker tells of the losses of an outage, its notification leaves this long after the first of them: ten seconds before the eighth minute ends. */
  placeTold: 470 * second,
  /**
   * A device that became dark up to this time before a loss belongs to it; so does one that became dark within `outageFar`, if so the place is dark.
   * One that was dark before is unrelated.
   */
  outageWindow: 15 * minute,
  outageFar: 2 * hour,
  /** Nothing more comes back: after the first time (or a report period and the second, if that is longer) the rest of an outage is another one. */
  outageRest: 2 * minute,
  outageRestSlack: minute,
  /** What remains dark when nothing comes back any more is no outage after the first time, and never later than the second after its place is back. */
  outageSettle: 10 * minute,
  outageLongest: 30 * minute,
  /** A place that is dark again within this time of the end of its outage continues it. */
  outageReturn: 30 * minute,
  /** Losses and outages: the time in which spells count as flapping, and the quiet that ends it. */
  spellsWindow: 90 * minute,
  spellsQuiet: 30 * minute,
  /** Nobody is notified of a drift that is healed within this time. */
  driftGrace: minute,
  /** CFG_001: a severe drift must be healed within this time. */
  healPatience: 10 * minute,
  /** Messages on their way when a guardian began to sign, or changed its key, are accepted for this time. An alert that takes longer is missing. */
  guardianSettle: 10 * minute,
  /** Guardians: slack after missing health messages; how long one alone must have no effect; time for the next one after a blindness. */
  guardianSlack: minute,
  guardianLasting: hour,
  guardianReturn: 6 * minute,
  /** Faults within the first time are counted together. A device that did not repeat a fault for the second can be read again. */
  unreadableWindow: hour,
  unreadableHeld: 75 * minute,
  /** How long the old key of a guardian stays valid while the new one is not used. */
  guardianKeyOverlap: day,
  /** CFG_002 ends after the first time without a further drift or heal, CFG_003 after the second without a further conflict. */
  healedQuiet: day,
  conflictQuiet: hour,
  /** A condition that returns within this time after its alert ended by itself reopens the alert. */
  reopenWindow: 10 * minute,
  /** The third reopening within this time marks an alert as flapping, until it has been quiet for `flappingQuiet`. */
  flappingWindow: hour,
  flappingQuiet: 10 * minute,
  /** An alert with a known end is not escalated where the end comes within this time after its response time. */
  endingSoon: minute,
  /** A condition whose alert a person resolved while it held is not raised again for this time, and then only by a new sighting. */
  manualMute: hour,
  /** A loss that was handled this long ago and that nothing contradicted is declared, even while the platform is blind. */
  lossDeclaredWithin: 15 * minute,
  /** Reports published within this time show that reports arrive. */
  ingestIdle: 2 * minute,
  /** How often the sweep sends canaries (`terraform/deadlines.tf`). */
  canaryEvery: minute,
  /**
   * A path whose newest canary is older than this lags. It is blind when that is older than `canaryBlind` and another has been missing for as long.
   */
  canaryLags: 2 * minute,
  canaryBlind: 3 * minute,
  /** Time from decommissioning to erasure. Endpoints first get the end of its alerts, and upload addresses of frames expire. */
  erasureDelay: 20 * minute,
  /** Interval of the standing drill, and the delay before a round is judged: after the first three attempts of a delivery. */
  drillEvery: hour,
  drillPatience: 5 * minute,
  /** A canary that took longer was late. So is one that the next sweep still misses, since a newer one may overtake it. Sweeps vary by seconds. */
  canaryLate: minute,
  canaryMissing: 55 * second,
  /** From then on, a path that no canary ever came through stops the heartbeats. */
  unprovenLongest: 10 * minute,
  /** How often a sweep looks whether the canaries that it sent have arrived. */
  canaryLook: 500,
  /** The longest time to handle the messages that waited while the store was away. */
  catchUpLongest: 10 * minute,
  /** A sweep, and the task of a shard, starts no more records after this time, so that it ends before the next one. */
  sweepLongest: 45 * second,
  /** Two wakes after a loss run the sweep, if the last one was longer ago than `sweepDead`: without a sweep no loss is judged. */
  sweepDead: 2 * minute,
  sweepAgain: 3 * minute,
  sweepLast: 15 * minute,
  /** A longer time between two sweeps means that the sweep or the store was away. */
  sweepGap: 90 * second,
  /** From `terraform/messages.tf`: longest delay before a subscription retries a message, and its acknowledgement deadline. */
  headBackoff: 2 * minute,
  ackDeadline: minute,
  /** Resolution of `lastSeenAt`: unchanged reports are written at most this often. */
  lastSeenCoarse: 2 * minute,
  /** Changes that concern only texts are written this often while a device floods. */
  textWindow: minute,
  /** Unchanged reports closer together than this are a burst and are written, because their order may not be final yet. */
  burst: 10 * second,
  /** One second of the times that the settings give. */
  settingsSecond: second,
  /** The settings that a report is judged by may be older than the stored ones by this time. */
  settingsFresh: minute,
  /** While nothing happens, they may be older by this time. */
  settingsOverdue: 10 * minute,
  /** For the first four hours an escalated alert reminds as often as its policy says, and afterwards at this interval, until somebody acknowledges it. */
  reminderLater: 4 * hour,
  /** Period of a target's budget per minute. Messages without a slot in it go out as one digest. */
  digestWindow: minute,
  /** After a change, the summaries of the fleet are rewritten within this time. */
  fleetSettles: 5 * second,
  /** Period of a target's budget per hour. */
  budgetHour: hour,
  /** While something urgent is held back on a phone, all that it has not been told leaves this often. */
  urgentSum: 5 * minute,
  /** A record that is due for longer than this has lost its wake, and the sweep handles it. */
  wakeGrace: minute,
  /** The shorter grace of an alert: with one minute between sweeps, its escalation is at most 61 s late. The sweep and the wake may both handle it. */
  alertGrace: second,
  /** Delays before attempts 2 to 5 of a delivery (contract), each counted from the failed attempt before it. */
  retry2: 30 * second,
  retry3: 2 * minute,
  retry4: 10 * minute,
  retry5: hour,
  /** How often open alerts are repeated to a hand-off that drops alerts that are not repeated. */
  handoffRepeat: 4 * minute,
  /** A delivery is due again after this time when nothing outside answered. */
  egressRetry: 15 * second,
  /** How often a message to people about something CRITICAL is tried after its attempts have failed. */
  criticalRepeat: 5 * minute,
  /** Longest delay that a receiver may request. */
  retryAfterCap: hour,
  /** Circuit breaker of an endpoint: first and longest pause. */
  breakerFirst: 30 * second,
  breakerLongest: 10 * minute,
  /** An endpoint that has only failed for this time is disabled. */
  endpointFailing: 5 * day,
  /** How often the ledger records the time of each device, and how often it searches for due and new devices. */
  ledgerEvery: day,
  ledgerHour: hour,
  /** How often an endpoint that uses sequence numbers gets a checkpoint. */
  checkpointEvery: hour,
  /** How long the old secret continues to sign after a rotation. */
  secretOverlap: day,
} as const;

/** How long a person may undo an acknowledgement, a snooze or a dismissal. Never scaled, because it is a person's time. */
export const undoWindowMs = minute;

/** How long the link of a message may be used: a person's time, never scaled. */
export const linkLifeMs = day;

/** How long records are kept, in milliseconds; never scaled. */
export const retention = {
  audit: 400 * day,
  resolvedAlert: 400 * day,
  delivery: 90 * day,
  detection: 30 * day,
  feed: 30 * day,
  quarantine: 30 * day,
  activity: 400 * day,
  tombstone: 400 * day,
  link: 30 * day,
  window: 400 * day,
  ledger: 400 * day,
} as const;

export type Waits = Record<keyof typeof naturalWaits, number>;
/** At any time scale, sweeps up to this far apart count as regular. */
const leastSweepGap = 5 * second;

/** The waiting times in milliseconds, divided by `timeScale` (1 in production; more in demonstrations and tests). */
export function waitsAt(timeScale: number): Waits {
  const waits = Object.fromEntries(Object.entries(naturalWaits).map(([name, ms]) => [name, ms / timeScale])) as Waits;
  return { ...waits, sweepGap: Math.max(waits.sweepGap, leastSweepGap) };
}
