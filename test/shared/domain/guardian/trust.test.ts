import { describe, expect, test } from 'vitest';
import {
  type GuardianTrust,
  type HealthFact,
  judge,
  withHealth,
  withKey,
  withoutKey,
} from '../../../../shared/domain/guardian/trust.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import type { Report } from '../../../../shared/schema/device/report.ts';
import type { EnvelopeMember } from '../../../../shared/schema/guardian/signed-text.ts';
import { createSigner } from '../../../support/guardian/signer.ts';
import { report } from '../../../support/records/reports.ts';
import { guardianAlert } from '../../../support/records/stories.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const minute = 60;
const [signer, older, stranger] = [createSigner(), createSigner(), createSigner()];
const trust = (given: Partial<GuardianTrust> = {}): GuardianTrust => ({
  ...{ publicKey: signer.publicKey, oldKey: null, keyUsedAt: null, signedSince: null, epochs: [] },
  ...{ forgottenUntil: null, forgottenHealth: 0, health: null, countedFrom: null },
  ...given,
});
type Given = { epoch?: string; by?: typeof signer; madeAt?: number; member?: EnvelopeMember; deviceId?: string };
const numbers = { goldenGeneration: null, lastAlertSeq: 0, intervalSeconds: 30, healthIntervalSeconds: 300 };
const healthy = { status: 'ok' as const, ...numbers };

/** A signed message of a guardian as it was read, published at `seconds`. */
function signed(seq: number, seconds: number, given: Given = {}) {
  const { epoch = 'e1', by = signer, madeAt = seconds, member = 'alert', deviceId = 'cam-1' } = given;
  const body = member === 'alert' ? guardianAlert('drift', ['tls.caFile'], at(madeAt)) : healthy;
  const { signature } = by.envelope(seq, body, { epoch, member, deviceId });
  const more = { text: JSON.stringify(body), envelope: { epoch, seq, signature, member } };
  const kind = member === 'alert' ? 'guardian' : 'guardian-health';
  return report(kind, body as never, seconds, more) as Report<'guardian'>;
}
const bare = (seconds: number) => report('guardian', guardianAlert('drift', ['tls.caFile'], at(seconds)), seconds);
const heard = (epoch: string, seq: number, seconds: number, health = 0) => ({
  ...{ epoch, alerts: seq === 0 ? [] : [{ from: seq, to: seq }], health },
  ...{ lastAt: at(seconds), lastMadeAt: seq === 0 ? null : at(seconds) },
});
const wrong = { kind: 'forged', detail: 'its signature is wrong' };

describe('a bare message of a guardian', () => {
  test('is good while its guardian never sent an envelope, and until ten minutes after the first', () => {
    expect(judge(null, bare(0), false, waits)).toEqual({ kind: 'taken', trust: null });
    const enrolled = trust();
    expect(judge(enrolled, bare(0), false, waits)).toEqual({ kind: 'taken', trust: enrolled });
    const signing = trust({ signedSince: at(0) });
    expect(judge(signing, bare(10 * minute), false, waits)).toEqual({ kind: 'taken', trust: signing });
    expect(judge(signing, bare(10 * minute + 0.001), false, waits)).toEqual({
      kind: 'forged',
      detail: `came without a signature, and its guardian has signed since ${at(0)}`,
    });
  });

  test('that was accepted before is no forgery when it comes again', () => {
    expect(judge(trust({ signedSince: at(0) }), bare(9999), true, waits)).toEqual({ kind: 'known' });
  });
});

describe('a signed message', () => {
  test('is taken once: what was seen is noted, and since when its guardian signs', () => {
    const expected = trust({ keyUsedAt: at(5), signedSince: at(5), epochs: [heard('e1', 7, 5)] });
    expect(judge(trust(), signed(7, 5), false, waits)).toEqual({ kind: 'taken', trust: expected });
    expect(judge(expected, signed(7, 60), false, waits)).toEqual({ kind: 'known' });
    expect(judge(expected, signed(7, 60, { epoch: 'e2' }), false, waits).kind).toBe('taken');
  });

  test('of a lower number that was never seen is late, and taken', () => {
    const known = trust({ keyUsedAt: at(5), signedSince: at(5), epochs: [heard('e1', 7, 5)] });
    expect(judge(known, signed(6, 60, { madeAt: 1 }), false, waits)).toEqual({
      kind: 'taken',
      trust: { ...known, epochs: [{ ...heard('e1', 7, 5), alerts: [{ from: 6, to: 7 }], lastAt: at(60) }] },
    });
    // Published before the message that was handled first.
    expect(judge(known, signed(6, 1), false, waits)).toMatchObject({
      trust: { keyUsedAt: at(1), signedSince: at(1), epochs: [{ lastAt: at(5), lastMadeAt: at(5) }] },
    });
  });

  test('of somebody else, for another camera, or without a key to judge it by is not', () => {
    expect(judge(trust(), signed(7, 5, { by: stranger }), false, waits)).toEqual(wrong);
    expect(judge(trust(), signed(7, 5, { deviceId: 'cam-2' }), false, waits)).toEqual(wrong);
    expect(
      judge(
        trust({ oldKey: { publicKey: older.publicKey, until: at(99) } }),
        signed(7, 5, { by: stranger }),
        false,
        waits,
      ),
    ).toEqual(wrong);
    expect(judge(null, signed(7, 5), false, waits)).toEqual({ kind: 'unenrolled' });
    expect(judge(trust({ publicKey: null }), signed(7, 5), true, waits)).toEqual({ kind: 'unenrolled' });
  });

  test.each([
    [1, true],
    [2, false],
    [3, false],
  ])('about its health counts where it is newer than the last of its journal: %d after 1', (last, isKnown) => {
    const known = trust({ epochs: [heard('e1', 0, 5, 1)] });
    const verdict = judge(known, signed(last, 60, { member: 'health' }), false, waits);
    if (isKnown) expect(verdict).toEqual({ kind: 'known' });
    else {
      expect(verdict).toMatchObject({
        kind: 'taken',
        trust: { epochs: [{ health: last, alerts: [], lastMadeAt: null }] },
      });
    }
  });

  test('about an alert leaves the number of the health, and the other way round', () => {
    const known = trust({ epochs: [heard('e1', 7, 5, 3)] });
    expect(judge(known, signed(8, 60), false, waits)).toMatchObject({ trust: { epochs: [{ health: 3 }] } });
    expect(judge(known, signed(8, 60, { member: 'health' }), false, waits)).toMatchObject({
      trust: { epochs: [{ health: 8, alerts: [{ from: 7, to: 7 }] }] },
    });
  });
});

describe('of five journals the four that were heard last are kept', () => {
  const four = [1, 2, 3, 4].map((n) => heard(`e${n}`, 9, n * minute, n));
  const fifth = judge(trust({ epochs: four }), signed(1, 5 * minute, { epoch: 'e5' }), false, waits);
  const after = fifth.kind === 'taken' && fifth.trust ? fifth.trust : trust();

  test('and what the oldest had is remembered by its time and number', () => {
    expect(after).toMatchObject({ forgottenUntil: at(minute), forgottenHealth: 1 });
    expect(after.epochs.map(({ epoch }) => epoch)).toEqual(['e2', 'e3', 'e4', 'e5']);
    const again = trust({ epochs: four, forgottenUntil: at(999), forgottenHealth: 9 });
    expect(judge(again, signed(1, 300, { epoch: 'e5', madeAt: 1000 }), false, waits)).toMatchObject({
      trust: { forgottenUntil: at(999), forgottenHealth: 9 },
    });
    expect(judge(trust({ epochs: four.slice(1) }), signed(1, 300, { epoch: 'e5' }), false, waits)).toMatchObject({
      trust: { epochs: [{ epoch: 'e2' }, { epoch: 'e3' }, { epoch: 'e4' }, { epoch: 'e5' }], forgottenUntil: null },
    });
  });

  test('in the order in which they were heard, and of two at once by their names', () => {
    const orderAfter = (epochs: GuardianTrust['epochs'], seconds: number, epoch: string) => {
      const verdict = judge(trust({ epochs }), signed(20, seconds, { epoch }), false, waits);
      return verdict.kind === 'taken' ? verdict.trust?.epochs.map((each) => each.epoch) : verdict.kind;
    };
    expect(orderAfter(four, 300, 'e1')).toEqual(['e2', 'e3', 'e4', 'e1']);
    expect(orderAfter(four.slice(0, 2), 1, 'e9')).toEqual(['e9', 'e1', 'e2']);
    expect(orderAfter([heard('b', 1, 60)], 60, 'a')).toEqual(['a', 'b']);
    expect(orderAfter([heard('a', 1, 60)], 60, 'b')).toEqual(['a', 'b']);
    const silent = four.map((each) => ({ ...each, health: 0 }));
    expect(judge(trust({ epochs: silent }), signed(1, 300, { epoch: 'e5' }), false, waits)).toMatchObject({
      trust: { forgottenHealth: 0 },
    });
  });

  test('so that nothing of it is accepted twice', () => {
    expect(judge(after, signed(9, 600, { epoch: 'e1', madeAt: minute }), false, waits)).toEqual({ kind: 'known' });
    expect(judge(after, signed(9, 600, { epoch: 'e1', madeAt: minute + 1 }), false, waits).kind).toBe('taken');
    const health = { epoch: 'e1', member: 'health' } as const;
    expect(judge(after, signed(1, 600, health), false, waits)).toEqual({ kind: 'known' });
    expect(judge(after, signed(2, 600, health), false, waits).kind).toBe('taken');
    expect(judge(trust(), signed(0, 600, health), false, waits)).toEqual({ kind: 'known' });
    expect(judge(trust(), signed(1, 600, health), false, waits).kind).toBe('taken');
  });
});

describe('a key', () => {
  test('stays good for a day beside a new one', () => {
    const next = withKey(trust({ publicKey: older.publicKey, keyUsedAt: at(-9) }), signer.publicKey, at(0), waits);
    expect(next).toEqual(trust({ oldKey: { publicKey: older.publicKey, until: at(86_400) } }));
    expect(withKey(next, signer.publicKey, at(9), waits)).toBe(next);
    expect(withKey(null, signer.publicKey, at(0), waits)).toEqual(trust());
  });

  test.each([
    // The old key is good until its end, or the first use of the new one.
    [null, 86_400, true],
    [null, 86_400.001, false],
    [60, 60, true],
    [60, 60.001, false],
    [86_400, 86_400, true],
    [86_400, 86_401, false],
  ])('first used at %s s: the old one is good at %d s, %s', (used, seconds, isGood) => {
    const rotated = trust({
      oldKey: { publicKey: older.publicKey, until: at(86_400) },
      keyUsedAt: used === null ? null : at(used),
    });
    const verdict = judge(rotated, signed(7, seconds, { by: older }), false, waits);
    const replaced = { kind: 'forged', detail: 'is signed with a key that another one has replaced' };
    if (isGood) expect(verdict).toMatchObject({ kind: 'taken', trust: { keyUsedAt: rotated.keyUsedAt } });
    else expect(verdict).toEqual(replaced);
    expect(
      judge({ ...rotated, epochs: [heard('e1', 7, 5)] }, signed(7, seconds, { by: older }), false, waits).kind,
    ).toBe('known');
  });

  test('that is taken away keeps what was seen', () => {
    const full = trust({ keyUsedAt: at(0), signedSince: at(0), epochs: [heard('e1', 7, 5)], forgottenUntil: at(1) });
    expect(withoutKey(full)).toEqual(trust({ publicKey: null, epochs: full.epochs, forgottenUntil: at(1) }));
  });
});

describe('a health', () => {
  const notified = (seconds: number, body: object = {}, epoch = 'e1') =>
    report('guardian-health', { ...healthy, ...body }, seconds, {
      envelope: { epoch, seq: 1, signature: '', member: 'health' },
    });
  const fact = (seconds: number, given: Partial<HealthFact> = {}): HealthFact => ({
    ...{ status: 'ok', goldenGeneration: null, lastAlertSeq: 0, healthIntervalSeconds: 300, reason: null, epoch: 'e1' },
    ...{ at: at(seconds), missingSince: null, alertsMissing: 0, idleSince: null },
    ...given,
  });
  const healthAfter = (before: HealthFact | null, given: ReturnType<typeof notified>, epochs = [heard('e1', 1, 0)]) =>
    withHealth(trust({ health: before, epochs }), given, waits).health;

  test('replaces the one before it, unless that is newer or this is not signed', () => {
    expect(healthAfter(null, notified(5, { goldenGeneration: 3, reason: 'r' }))).toEqual(
      fact(5, { goldenGeneration: 3, reason: 'r' }),
    );
    expect(healthAfter(fact(5, { goldenGeneration: 3 }), notified(5))).toEqual(fact(5, { goldenGeneration: 3 }));
    expect(healthAfter(fact(5), notified(4))).toEqual(fact(5));
    expect(healthAfter(fact(5), notified(5, { reason: 'r' }))).toEqual(fact(5, { reason: 'r' }));
    const unsigned = trust();
    expect(withHealth(unsigned, report('guardian-health', healthy, 5), waits)).toBe(unsigned);
  });

  test('shows after ten minutes what a broker acknowledged and dropped', () => {
    const missing = { lastAlertSeq: 3, missingSince: at(0) };
    expect(healthAfter(null, notified(0, { lastAlertSeq: 3 }))).toEqual(fact(0, missing));
    expect(healthAfter(fact(0, missing), notified(599.999, { lastAlertSeq: 3 }))).toEqual(fact(599.999, missing));
    expect(healthAfter(fact(0, missing), notified(600, { lastAlertSeq: 3 }))).toEqual(
      fact(600, { ...missing, alertsMissing: 2 }),
    );
    expect(healthAfter(fact(0, missing), notified(600, { lastAlertSeq: 1 }))).toEqual(fact(600, { lastAlertSeq: 1 }));
    // In a new epoch the alerts have been missing only from now on.
    expect(healthAfter(fact(0, missing), notified(600, { lastAlertSeq: 3 }, 'e2'))).toMatchObject({
      missingSince: at(600),
      alertsMissing: 0,
    });
    expect(healthAfter(fact(0), notified(600, { lastAlertSeq: 3 }))).toMatchObject({ missingSince: at(600) });
  });

  test.each(['blind', 'golden-refused'])('says since when it guards nothing: %s', (status) => {
    expect(healthAfter(fact(0), notified(60, { status }))).toMatchObject({ idleSince: at(60) });
    expect(healthAfter(fact(0, { idleSince: at(-9) }), notified(60, { status }))).toMatchObject({ idleSince: at(-9) });
    expect(healthAfter(fact(0, { idleSince: at(-9) }), notified(60, { status: 'heal-failed' }))).toMatchObject({
      idleSince: null,
    });
  });
});
