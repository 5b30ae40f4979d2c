import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideDue, decideReport } from '../../../../shared/domain/change/report-decision.ts';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { earliest, plus } from '../../../../shared/domain/time.ts';
import type { Report } from '../../../../shared/schema/device/report.ts';
import { report } from '../../../support/records/reports.ts';
import { disordered, story } from '../../../support/records/stories.ts';
import { unlessQuick } from '../../../support/score/score.ts';
import { startOfTests } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? unlessQuick(80, 400));
const endOfStory = plus(startOfTests, 12 * 3_600_000);

/** The device after sweeps that leave nothing to judge, and what they recorded of losses that were over. */
function swept(device: Device, at: string, given = waits): { device: Device; recorded: string[] } {
  const { device: next, orders } = decideDue(device, at, at, given, null);
  const recorded = orders.flatMap((order) => {
    if (order.kind === 'open' && order.seed.code === 'CONN_001') return [`lost ${order.seed.lostAt} ${order.pastAt}`];
    if (order.kind === 'return' && order.lostAt !== null) return [`lost again ${order.lostAt} ${order.pastAt}`];
    return order.kind === 'end' && order.pastAt !== undefined ? [`back ${order.pastAt}`] : [];
  });
  if (next.absentAt === null || next.absentAt > at) return { device: next, recorded };
  const last = swept(next, at, given);
  return { ...last, recorded: [...recorded, ...last.recorded] };
}

const looked = (device: Device, at: string) => swept(device, at).device;

function reported(reports: Report[], given = waits): Device {
  const first = reports[0]?.receivedAt ?? startOfTests;
  return reports.reduce((device, each) => decideReport(device, each, given).device, newDevice('cam-1', first));
}

/** The device after all reports were handled and stored, and its conditions were evaluated until nothing was left to judge at `endAt`. */
function after(reports: Report[], endAt = endOfStory): Device {
  return looked(reported(reports), endAt);
}

/** What must be equal: all but the alert history, the note on the last late report, the losses that it holds, the activity count, and the sightings, which are coarse. */
function facts({
  open,
  ended: _ended,
  lastLate: _late,
  activityCount: _count,
  texts: _texts,
  sightings: _seen,
  lossesJudgedTo: _judged,
  ...rest
}: Device) {
  return { ...rest, open: Object.keys(open).toSorted() };
}

test('any order and any number of copies of a story end in the same facts, the same due times and the same codes open', () => {
  fc.assert(
    fc.property(
      story.chain((reports) => fc.tuple(fc.constant(reports), disordered(reports), fc.constantFrom(0, 240, 400, 4000))),
      ([inOrder, shuffled, laterSeconds]) => {
        const endAt = plus(inOrder.at(-1)?.receivedAt ?? startOfTests, laterSeconds * 1000);
        expect(facts(after(shuffled, endAt))).toEqual(facts(after(inOrder, endAt)));
      },
    ),
    { numRuns },
  );
});

test('the same losses that are over are recorded with the same times, whatever the order and the number of copies', () => {
  // No report comes so late that a loss was declared without it.
  const patient = { ...waits, lossDeclaredWithin: 86_400_000 };
  const recorded = (reports: Report[], endAt: string) => swept(reported(reports, patient), endAt, patient).recorded;
  let some = 0;
  fc.assert(
    fc.property(
      story.chain((reports) => fc.tuple(fc.constant(reports), disordered(reports), fc.constantFrom(0, 240, 400, 4000))),
      ([inOrder, shuffled, laterSeconds]) => {
        const endAt = plus(inOrder.at(-1)?.receivedAt ?? startOfTests, laterSeconds * 1000);
        const expected = recorded(inOrder, endAt);
        some += expected.length;
        expect(recorded(shuffled, endAt)).toEqual(expected);
      },
    ),
    { numRuns },
  );
  expect(some).toBeGreaterThan(0);
});

test('a copy sent again as a new message, recognised by boot and sequence, adds nothing to the facts', () => {
  fc.assert(
    fc.property(story, fc.nat(), (reports, pick) => {
      const statuses = reports.filter(({ kind }) => kind === 'status');
      const again = statuses[pick % Math.max(1, statuses.length)];
      if (!again) return;
      const copy = {
        ...again,
        messageId: 'sent-again',
        receivedAt: plus(reports.at(-1)?.receivedAt ?? startOfTests, 500),
      };
      const { measures, certificate, authFailures, newest } = after(reports);
      expect(after([...reports, copy as Report])).toMatchObject({ measures, certificate, authFailures, newest });
    }),
    { numRuns: numRuns / 4 },
  );
});

test('what all reports of a well camera, a healing guardian and a day of quiet can end, ends: only the security incident stays open', () => {
  fc.assert(
    fc.property(story, (reports) => {
      const at = plus(reports.at(-1)?.receivedAt ?? startOfTests, 60_000);
      const given = { receivedAt: at };
      const well = report(
        'status',
        {
          timestamp: at,
          bootId: 'b1',
          seq: 1000,
          memory: { usedPercent: 20 },
          storage: { freeMegabytes: 900 },
          mqtt: { latencyMs: 20 },
          certificate: { valid: true, notAfter: plus(at, 90 * 86_400_000) },
        },
        0,
        given,
      );
      const healed = report(
        'guardian',
        {
          alertCode: 'CONFIG_HEALED',
          severity: 'info',
          device: { serial: 'S', model: 'M', ip: '192.0.2.7' },
          timestamp: at,
          heal: { fieldsRestored: ['broker.host', 'broker.port', 'clientId'], count: 3, durationMs: 5 },
        },
        0,
        given,
      );
      const device = after([...reports, well, healed], plus(at, 25 * 3_600_000));
      expect(Object.keys(device.open).filter((code) => code !== 'SEC_002')).toEqual([]);
    }),
    { numRuns },
  );
});

test('a long story whose reports come at most a few places late ends in the same readings and codes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(50, 78, 82, 88, 95), { minLength: 20, maxLength: 60 }),
      fc.infiniteStream(fc.nat(5)),
      (values, chance) => {
        const reports = values.map((usedPercent, seq) =>
          report('status', { bootId: 'b', seq, memory: { usedPercent } }, seq, { messageId: `m${seq}` }),
        );
        const late = reports
          .map((each, index) => ({ each, key: index + (chance.next().value ?? 0) }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ each }) => each);
        expect(facts(after(late)).measures).toEqual(facts(after(reports)).measures);
        expect(facts(after(late)).open).toEqual(facts(after(reports)).open);
      },
    ),
    { numRuns: numRuns / 4 },
  );
});

test('following the due times of the record leads to the same codes as looking at the end: no change by time alone is missed', () => {
  fc.assert(
    fc.property(story, fc.constantFrom(300, 3600, 86_400, 700_000), (reports, laterSeconds) => {
      const endAt = plus(reports.at(-1)?.receivedAt ?? startOfTests, laterSeconds * 1000);
      let device = after(reports, reports.at(-1)?.receivedAt);
      for (let wakes = 0; ; wakes += 1) {
        expect(wakes).toBeLessThan(50);
        const next = earliest([device.dueAt, device.absentAt]);
        if (next === null || next > endAt) break;
        device = looked(device, next);
      }
      expect(Object.keys(device.open).toSorted()).toEqual(facts(after(reports, endAt)).open);
    }),
    { numRuns },
  );
});
