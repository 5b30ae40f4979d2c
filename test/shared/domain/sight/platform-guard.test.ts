import { expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import {
  clearSight,
  judgeSilence,
  type PlatformState,
  type Sight,
} from '../../../../shared/domain/sight/platform-guard.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { startOfTests as now } from '../../../support/world/world.ts';

const minute = 60_000;
const waits = waitsAt(1);
const judge = (state: PlatformState, given: Partial<Sight>) =>
  judgeSilence(state, { now, online: 100, newlySilent: 0, lastReportAt: now, ...given }, waits);

test.each([
  [100, 9, 'declare'],
  [100, 30, 'declare'],
  [100, 31, 'blind'],
  [12, 9, 'declare'],
  [12, 10, 'blind'],
  [10_000, 2999, 'declare'],
  [10_000, 3001, 'blind'],
])('of %i online devices %i that fall silent at once: %s', (online, newlySilent, kind) => {
  expect(judge(clearSight, { online, newlySilent }).kind).toBe(kind);
});

test('after a blow to the fleet nobody is declared silent before every device could report again', () => {
  const verdict = judge(clearSight, { newlySilent: 50 });
  if (verdict.kind !== 'blind') throw new Error(verdict.kind);
  expect(verdict.why).toBe('50 of 100 online devices fell silent at once');
  expect(verdict.state).toMatchObject({ blindAt: now, isIdle: false, resumeAt: plus(now, 8 * minute) });
  const kindAfter = (ms: number) =>
    judge(verdict.state, { now: plus(now, ms), lastReportAt: plus(now, ms), newlySilent: 5 }).kind;
  expect([kindAfter(8 * minute - 1), kindAfter(8 * minute)]).toEqual(['wait', 'declare']);
});

test('a fleet of which no report comes is our own trouble: said once, while it lasts nobody is silent', () => {
  const until = (ms: number, state: PlatformState) => judge(state, { now: plus(now, ms), newlySilent: 100 });
  expect(judge(clearSight, { now: plus(now, 4 * minute - 1) }).kind).toBe('declare');
  const first = until(4 * minute, clearSight);
  if (first.kind !== 'blind') throw new Error(first.kind);
  expect(first.why).toBe('no report of any device for 4 min, with 100 online');
  const second = until(5 * minute, first.state);
  expect(second).toEqual({ kind: 'wait', state: { ...first.state, blindAt: plus(now, 4 * minute) } });
});

test('when reports flow again the silence clocks start anew', () => {
  const idle: PlatformState = { ...clearSight, blindAt: plus(now, -minute), isIdle: true };
  const verdict = judge(idle, { newlySilent: 100 });
  expect(verdict).toEqual({ kind: 'wait', state: { ...idle, isIdle: false, resumeAt: plus(now, 8 * minute) } });
});

test.each([
  ['nobody is online', { online: 0 }],
  ['no report was ever written', { lastReportAt: null }],
])('where %s, that no report comes says nothing', (_, given) => {
  expect(judge(clearSight, { now: plus(now, 60 * minute), ...given }).kind).toBe('declare');
});
