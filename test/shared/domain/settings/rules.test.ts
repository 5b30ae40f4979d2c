import { describe, expect, test } from 'vitest';
import { inOrder, planOf, type RuleRecord } from '../../../../shared/domain/settings/rules.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import type { AlertRule } from '../../../../shared/schema/settings/rule.ts';
import { startOfTests } from '../../../support/world/world.ts';

function rule(name: string, code: string, action: AlertRule['action'], given: Partial<RuleRecord> = {}): RuleRecord {
  const at = { createdAt: startOfTests, changedAt: startOfTests, version: 1 };
  return { ruleId: `id-${name}`, name, condition: { code, group: [] }, action, enabled: true, ...at, ...given };
}

const lost = {
  code: 'CONN_001',
  severity: 'CRITICAL',
  groupId: 'north',
  deviceId: 'cam-1',
  site: 'gate',
  tags: { floor: '2', wing: 'west' },
} as const;
const latency = { code: 'CONN_003', severity: 'WARNING', groupId: 'south', deviceId: 'cam-2' } as const;
const settings = {
  ...defaultSettings,
  schedules: { fridays: { periods: [{ days: ['fri' as const], from: '09:00', to: '17:00' }] } },
};
const plan = (rules: RuleRecord[], subject: typeof lost | typeof latency = lost) =>
  planOf(inOrder(rules), settings, subject, startOfTests);

describe('without a rule the settings decide', () => {
  test.each([
    ['CRITICAL', ['email', 'chat', 'sms', 'webhook']],
    ['ERROR', ['email', 'chat', 'webhook']],
    ['WARNING', ['webhook']],
    ['INFO', []],
  ] as const)('%s goes to %j', (severity, channels) => {
    expect(planOf([], settings, { ...lost, severity }, startOfTests)).toMatchObject({ channels, channelsBy: 'matrix' });
  });
});

test.each([
  ['the code itself', 'CONN_001', [], true],
  ['another code', 'CONN_002', [], false],
  ['the beginning of a code', 'CONN_*', [], true],
  ['the beginning of another', 'SEC_*', [], false],
  ['every code', '*', [], true],
  ['its group among others', '*', ['south', 'north'], true],
  ['other groups', '*', ['south'], false],
])('a rule for %s matches: %s %j is %s', (_name, code, group, isMatch) => {
  const { rules } = plan([rule('a', code, { priority: 'P1' }, { condition: { code, group } })]);
  expect(rules).toEqual(isMatch ? [{ ruleId: 'id-a', name: 'a' }] : []);
});

test('a rule that is switched off does not match', () => {
  expect(plan([rule('a', '*', { suppress: true }, { enabled: false })]).channelsBy).toBe('matrix');
});

test('suppress silences where nothing else speaks, and gives way to a rule that notifies or escalates', () => {
  const quiet = rule('quiet', '*', { suppress: true });
  expect(plan([quiet])).toMatchObject({ channels: [], channelsBy: 'suppressed' });
  expect(plan([quiet, rule('p', '*', { priority: 'P2' })])).toMatchObject({ channelsBy: 'suppressed', priority: 'P2' });
  expect(plan([quiet, rule('n', '*', { notify: ['sms'] })])).toMatchObject({ channelsBy: 'matrix' });
  const escalated = plan([quiet, rule('e', '*', { escalate_to: 'night' })]);
  expect(escalated).toMatchObject({ channelsBy: 'matrix', escalation: { team: 'night', ruleId: 'id-e' } });
});

test('the strictest wins: channels are put together, the most urgent priority holds, the first by name names the team', () => {
  const rules = [
    rule('b', 'CONN_*', { notify: ['sms'], priority: 'P3', escalate_to: 'second' }),
    rule('a', '*', { notify: ['email', 'sms'], priority: 'P4', escalate_to: 'first' }),
    rule('c', '*', { priority: 'P1' }),
  ];
  expect(plan(rules, latency)).toEqual({
    rules: [
      { ruleId: 'id-a', name: 'a' },
      { ruleId: 'id-b', name: 'b' },
      { ruleId: 'id-c', name: 'c' },
    ],
    channels: ['email', 'sms', 'webhook'],
    channelsBy: 'rules',
    escalation: { team: 'first', ruleId: 'id-a' },
    priority: 'P1',
    notifiedTeam: null,
  });
});

test("a rule that names mail and SMS adds them: chat, and the customer's ticket system behind a webhook, hear all the same", () => {
  const added = rule('a', 'CONN_*', { notify: ['sms', 'email'] });
  expect(plan([added])).toMatchObject({ channels: ['email', 'chat', 'sms', 'webhook'], channelsBy: 'matrix' });
  expect(plan([added], latency)).toMatchObject({ channels: ['email', 'sms', 'webhook'], channelsBy: 'rules' });
});

test('P1 to P5 come before any other text, whatever its letters', () => {
  const named = (...all: string[]) => plan(all.map((priority, index) => rule(`r${index}`, '*', { priority }))).priority;
  expect(named('A', 'P5', 'Urgent')).toBe('P5');
  expect(named('P10', 'Night', 'P2')).toBe('P2');
  expect(named('b', 'a')).toBe('a');
});

test('the first rule by name says which team is notified; one that does so is not silenced', () => {
  const rules = [
    rule('b', '*', { team: 'night' }),
    rule('a', '*', { team: 'gates' }),
    rule('q', '*', { suppress: true }),
  ];
  expect(plan(rules)).toMatchObject({ notifiedTeam: 'gates', channelsBy: 'matrix' });
});

test('a rule that mutes leaves channels of people out, never machines', () => {
  const muted = rule('a', '*', { mute: ['chat', 'sms'] });
  expect(plan([muted])).toMatchObject({ channels: ['email', 'webhook'], channelsBy: 'rules' });
});

test.each<[Partial<AlertRule['condition']>, boolean]>([
  [{ device: ['cam-1'] }, true],
  [{ device: ['cam-2'] }, false],
  [{ site: ['gate'] }, true],
  [{ site: ['yard'] }, false],
  [{ severity: ['CRITICAL'] }, true],
  [{ severity: ['ERROR', 'WARNING'] }, false],
  [{ device: [], site: [], severity: [] }, true],
  [{ tags: { floor: ['1', '2'] } }, true],
  [{ tags: { floor: ['2'], wing: ['east'] } }, false],
  [{ tags: { toString: ['x'] } }, false],
  [{ schedule: 'fridays' }, true],
  [{ schedule: 'outside_business_hours' }, false],
  [{ schedule: 'gone' }, false],
  [{ schedule: 'fridays', tags: { floor: ['2'] }, site: ['gate'], severity: ['CRITICAL'] }, true],
  [{ schedule: 'fridays', tags: { floor: ['2'] }, site: ['yard'], severity: ['CRITICAL'] }, false],
  [{ device: ['cam-1'], severity: ['ERROR'] }, false],
])('a condition %j matches: %s', (condition, isMatch) => {
  const given = { condition: { code: '*', group: [], ...condition } };
  expect(plan([rule('a', '*', { priority: 'P1' }, given)]).rules).toHaveLength(isMatch ? 1 : 0);
});
