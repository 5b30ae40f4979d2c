import { createPublicKey, verify } from 'node:crypto';
import type { Report } from '../../schema/device/report.ts';
import type { GuardianHealth } from '../../schema/guardian/envelope.ts';
import { signedText } from '../../schema/guardian/signed-text.ts';
import type { Waits } from '../limits.ts';
import { earliest, type Instant, latest, plus, toInstant } from '../time.ts';

/** Numbers from `from` to `to`, both included. */
type SequenceSpan = { from: number; to: number };

/**
 * What was received from one journal of a guardian. `alerts`: the numbers that were seen, in rising order; `health`: the highest one;
 * `lastMadeAt`: time of the newest alert by the guardian's own clock.
 */
type Epoch = { epoch: string; alerts: SequenceSpan[]; health: number; lastAt: Instant; lastMadeAt: Instant | null };

/** Spans that are kept of an epoch. Above this number the oldest gap counts as seen, so that nothing in it can be accepted twice. */
const maxSpans = 32;

function includes(spans: readonly SequenceSpan[], seq: number): boolean {
  return spans.some(({ from, to }) => from <= seq && seq <= to);
}

/** The spans with one more number. */
function withNumber(spans: readonly SequenceSpan[], seq: number): SequenceSpan[] {
  const joined: SequenceSpan[] = [];
  for (const span of [...spans, { from: seq, to: seq }].toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && span.from <= last.to + 1)
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else joined.push(span);
  }
  const [first, second, ...others] = joined;
  return joined.length > maxSpans && first && second ? [{ from: first.from, to: second.to }, ...others] : joined;
}

/** How many of the numbers from 1 to `last` were not seen. */
function missingUpTo(spans: readonly SequenceSpan[], last: number): number {
  const seen = spans.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, last) - from + 1), 0);
  return Math.max(0, last - seen);
}

/** Whether an Ed25519 signature (base64) of a text was made with a key (SPKI in base64). False for anything that is not a signature. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.length !== 64 || bytes.toString('base64') !== signature) return false;
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), key, bytes);
}

/** The keys that identify the guardian of a device, and what has been received from it. */
export type GuardianTrust = {
  /** Null: the enrolment has ended. */
  publicKey: string | null;
  /** The key before this one. */
  oldKey: { publicKey: string; until: Instant } | null;
  /** When the present key was first used, by time of publication, as all times here. */
  keyUsedAt: Instant | null;
  /** Since when its guardian sends signed envelopes. */
  signedSince: Instant | null;
  epochs: Epoch[];
  /** In epochs that are no longer kept, alerts that the guardian dated up to this time are not accepted again. */
  forgottenUntil: Instant | null;
  /** The highest number of a health message in such epochs. These numbers follow the guardian's clock, so they rise from epoch to epoch. */
  forgottenHealth: number;
  health: HealthFact | null;
  /** Since when its camera has been in its group and online. Health messages that were missing before do not count. */
  countedFrom: Instant | null;
};

/**
 * The newest health message. `missingSince`: since when an alert that it counts is missing; `idleSince`: since when the guardian reports that it
 * cannot guard its camera.
 */
export type HealthFact = Pick<
  GuardianHealth,
  'status' | 'goldenGeneration' | 'lastAlertSeq' | 'healthIntervalSeconds'
> & {
  reason: string | null;
  epoch: string;
  at: Instant;
  missingSince: Instant | null;
  alertsMissing: number;
  idleSince?: Instant | null;
};

const noTrust: GuardianTrust = {
  publicKey: null,
  oldKey: null,
  keyUsedAt: null,
  signedSince: null,
  epochs: [],
  forgottenUntil: null,
  forgottenHealth: 0,
  health: null,
  countedFrom: null,
};

/** Maximum number of journals (epochs) of a guardian that are kept. */
const epochsKept = 4;

/** The result for a guardian's message: accepted, known already, made by somebody else, or from a guardian without a registered key. */
export type Verdict =
  | { kind: 'taken'; trust: GuardianTrust | null }
  | { kind: 'known' }
  | { kind: 'forged'; detail: string }
  | { kind: 'unenrolled' };

type GuardianReport = Report<'guardian'> | Report<'guardian-health'>;

/** @param isKnown the same alert was accepted before: a copy of it changes nothing, whoever sends it */
export function judge(trust: GuardianTrust | null, report: GuardianReport, isKnown: boolean, waits: Waits): Verdict {
  if (report.envelope) return judgeEnvelope(trust ?? noTrust, report, report.envelope);
  const { signedSince = null } = trust ?? {};
  if (signedSince === null || report.receivedAt <= plus(signedSince, waits.guardianSettle))
    return { kind: 'taken', trust };
  if (isKnown) return { kind: 'known' };
  return { kind: 'forged', detail: `came without a signature, and its guardian has signed since ${signedSince}` };
}

function judgeEnvelope(
  trust: GuardianTrust,
  { deviceId, text = '', receivedAt, ...report }: GuardianReport,
  envelope: NonNullable<GuardianReport['envelope']>,
): Verdict {
  const { publicKey, oldKey } = trust;
  if (publicKey === null) return { kind: 'unenrolled' };
  const { member, epoch, seq, signature } = envelope;
  const signed = signedText(deviceId, member, envelope, text);
  const isByOld = oldKey !== null && isSignedBy(oldKey.publicKey, signed, signature);
  if (!isByOld && !isSignedBy(publicKey, signed, signature))
    return { kind: 'forged', detail: 'its signature is wrong' };
  const madeAt = report.kind === 'guardian' ? toInstant(report.body.timestamp) : null;
  const before = trust.epochs.find((known) => known.epoch === epoch);
  if (isSeen(trust, before, member, seq, madeAt)) return { kind: 'known' };
  if (isByOld && receivedAt > oldKeyEndsAt(trust, oldKey.until)) {
    return { kind: 'forged', detail: 'is signed with a key that another one has replaced' };
  }
  const heard: Epoch = before ?? { epoch, alerts: [], health: 0, lastAt: receivedAt, lastMadeAt: madeAt };
  const next: Epoch = {
    epoch,
    alerts: member === 'alert' ? withNumber(heard.alerts, seq) : heard.alerts,
    health: member === 'health' ? seq : heard.health,
    lastAt: latest(heard.lastAt, receivedAt) ?? receivedAt,
    lastMadeAt: latest(heard.lastMadeAt, madeAt),
  };
  const used = isByOld ? trust.keyUsedAt : (earliest([trust.keyUsedAt, receivedAt]) ?? receivedAt);
  const signedSince = earliest([trust.signedSince, receivedAt]) ?? receivedAt;
  return { kind: 'taken', trust: { ...withEpoch(trust, next), keyUsedAt: used, signedSince } };
}

/** Whether a message was received before. A health message that is not newer than the last one of its journal counts as received. */
function isSeen(
  { forgottenUntil, forgottenHealth }: GuardianTrust,
  before: Epoch | undefined,
  member: 'alert' | 'health',
  seq: number,
  madeAt: Instant | null,
): boolean {
  if (member === 'health') return seq <= (before?.health ?? forgottenHealth);
  if (before) return includes(before.alerts, seq);
  return forgottenUntil !== null && madeAt !== null && madeAt <= forgottenUntil;
}

/** When the old key ends: with the first message that was signed with the new one. Whoever may still have it must not use it any longer. */
function oldKeyEndsAt({ keyUsedAt }: GuardianTrust, until: Instant): Instant {
  return earliest([until, keyUsedAt]) ?? until;
}

function withEpoch(trust: GuardianTrust, next: Epoch): GuardianTrust {
  const others = trust.epochs.filter(({ epoch }) => epoch !== next.epoch);
  const epochs = [...others, next].toSorted((a, b) => (a.lastAt + a.epoch < b.lastAt + b.epoch ? -1 : 1));
  const [oldest, ...kept] = epochs;
  if (epochs.length <= epochsKept || !oldest) return { ...trust, epochs };
  const forgottenUntil = latest(trust.forgottenUntil, oldest.lastMadeAt);
  return {
    ...trust,
    epochs: kept,
    forgottenUntil,
    forgottenHealth: Math.max(trust.forgottenHealth, oldest.health),
  };
}

/** Adds a health message that was accepted. One that was published before the newest is ignored. */
export function withHealth(trust: GuardianTrust, report: Report<'guardian-health'>, waits: Waits): GuardianTrust {
  const { body, receivedAt: at, envelope } = report;
  const { health: before } = trust;
  if (!envelope || (before && before.at > at)) return trust;
  const { status, lastAlertSeq, healthIntervalSeconds, reason = null } = body;
  const goldenGeneration = body.goldenGeneration ?? before?.goldenGeneration ?? null;
  const { epoch } = envelope;
  const seen = trust.epochs.find((known) => known.epoch === epoch)?.alerts ?? [];
  // An alert that is on its way is not missing. One that a health message 10 minutes ago counted already is.
  const missing = missingUpTo(seen, lastAlertSeq);
  const isSame = before?.epoch === epoch && before.missingSince !== null;
  const missingSince = missing === 0 ? null : isSame ? before.missingSince : at;
  const isLate = missingSince !== null && at >= plus(missingSince, waits.guardianSettle);
  const alertsMissing = isLate ? missing : 0;
  const health = { status, goldenGeneration, lastAlertSeq, healthIntervalSeconds, reason, epoch, at, missingSince };
  const isIdle = status === 'blind' || status === 'golden-refused';
  const idleSince = isIdle ? (before?.idleSince ?? at) : null;
  return { ...trust, health: { ...health, alertsMissing, idleSince } };
}

/** Registers a key. The previous key is accepted for a day, or until the new one is used. */
export function withKey(trust: GuardianTrust | null, publicKey: string, now: Instant, waits: Waits): GuardianTrust {
  const known = trust ?? noTrust;
  if (known.publicKey === publicKey) return known;
  const oldKey =
    known.publicKey === null ? null : { publicKey: known.publicKey, until: plus(now, waits.guardianKeyOverlap) };
  return { ...known, publicKey, oldKey, keyUsedAt: null };
}

/** Ends the enrolment. Received numbers are kept, so that nothing counts a second time if the guardian is enrolled again. */
export function withoutKey(trust: GuardianTrust): GuardianTrust {
  return { ...trust, publicKey: null, oldKey: null, keyUsedAt: null, signedSince: null, health: null };
}
