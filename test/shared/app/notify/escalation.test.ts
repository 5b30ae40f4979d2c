import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explainAlert } from '../../../../shared/app/alerts/explain.ts';
import { render } from '../../../../shared/app/messages/render.ts';
import { loadConfiguration, revisionWrite } from '../../../../shared/app/settings/configuration.ts';
import type { Delivery } from '../../../../shared/domain/delivery/delivery.ts';
import { alertContent } from '../../../../shared/domain/messages/content.ts';
import type { EscalationPolicy } from '../../../../shared/schema/settings/escalation.ts';
import type { TeamContacts } from '../../../../shared/schema/settings/team.ts';
import { ana, giveTeam, messagesOf } from '../../../support/records/alerts.ts';
import { at, createTimeline, hour, minute } from '../../../support/world/timeline.ts';

const memory = (usedPercent: number) => ({ groupId: 'north', memory: { usedPercent } });
const policy: EscalationPolicy = {
  steps: [
    { afterMinutes: 0, team: 'night' },
    { afterMinutes: 15, team: 'head', channels: ['sms'] },
  ],
  repeatMinutes: 20,
};

const byTimeAndTarget = (a: Delivery, b: Delivery) =>
  a.createdAt.localeCompare(b.createdAt) || b.targetName.localeCompare(a.targetName);

/** A camera whose memory is 93 % used from the start: an ERROR with a response time of one hour. */
async function started(
  escalation: EscalationPolicy | null = policy,
  teams: Record<string, TeamContacts> = {},
  duty: TeamContacts = {},
) {
  const line = createTimeline();
  const { world } = line;
  await giveTeam(world, 'night', { emails: ['night@example.com'], phones: ['+46701111111'] });
  await giveTeam(world, 'head', { emails: ['head@example.com'], phones: ['+46702222222'] });
  for (const [name, contacts] of Object.entries(teams)) await giveTeam(world, name, contacts);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], ...duty, ...(escalation ? { escalation } : {}) });
  await line.says(0, 'status', memory(93));
  /** The messages by time, as `minute occasion target`. */
  const notified = async () =>
    (await messagesOf(world)).toSorted(byTimeAndTarget).map(({ createdAt, targetName, message }) => {
      const minutes = (Date.parse(createdAt) - Date.parse(at(0))) / 60_000;
      return `${minutes} ${message?.occasion} ${targetName}`;
    });
  return { ...line, notified };
}

test('nobody answers: each step of the policy in its turn, then the last again and again', async () => {
  const line = await started();
  await line.until(hour + 60 * minute);
  expect(await line.notified()).toEqual([
    '0 opened operations: ops@example.com',
    '60 escalated night: night@example.com',
    '75 escalated head: head@example.com',
    '75 escalated head: +46702222222',
    ...[90, 100, 120].flatMap((minutes) => [
      `${minutes} reminded head: head@example.com`,
      `${minutes} reminded head: +46702222222`,
    ]),
  ]);
  const trail = await line.trail('RES_001');
  expect(trail.map(({ action, from, to, why }) => `${action} ${from} ${to} ${why}`).slice(1, 4)).toEqual([
    'escalate active escalated Nobody acknowledged it within its response time',
    'escalate escalated escalated Nobody has answered: step 2 of 2',
    'remind escalated escalated Reminder 1: nobody has it yet',
  ]);
  expect(await line.alerts()).toMatchObject([{ team: 'head', escalatedAt: at(hour), reminders: 3 }]);
});

test('the default notifies another team than the one that was notified, and a phone only where the matrix says so', async () => {
  const line = await started(null);
  await line.until(hour + 30 * minute);
  expect(await line.notified()).toEqual([
    '0 opened operations: ops@example.com',
    '60 escalated head: head@example.com',
    '90 reminded head: head@example.com',
  ]);
});

test('whoever has it ends it, an undo goes on with the step that was reached', async () => {
  const line = await started();
  await line.until(hour + 16 * minute);
  await line.acts('RES_001', { kind: 'acknowledge' });
  await line.until(hour + 16 * minute + 30);
  await line.acts('RES_001', { kind: 'unacknowledge' });
  await line.until(hour + 31 * minute);
  expect((await line.notified()).slice(4)).toEqual([
    '90 reminded head: head@example.com',
    '90 reminded head: +46702222222',
  ]);
  await line.acts('RES_001', { kind: 'acknowledge' });
  const count = (await line.notified()).length;
  await line.until(9 * hour);
  expect((await line.notified()).slice(count).filter((each) => !each.includes('acknowledged'))).toEqual([]);
});

test.each([
  [{ kind: 'acknowledge' }, 'unacknowledge'],
  [{ kind: 'snooze', until: at(3 * hour) }, 'unsnooze'],
] as const)(
  'what ended the clock (%o) and is undone after the response time would have passed escalates at once',
  async (action, undo) => {
    const line = await started(null);
    await line.until(hour - 20);
    await line.acts('RES_001', action);
    await line.until(hour + 20);
    expect((await line.alerts())[0]?.status).not.toBe('escalated');
    await line.acts('RES_001', { kind: undo });
    expect((await line.alerts())[0]?.status).toBe('escalated');
  },
);

test('a wake that comes twice takes a step once', async () => {
  const line = await started();
  await line.until(hour + 14 * minute);
  const twice = [...line.world.wakes];
  line.world.wakes.push(...twice, ...twice);
  await line.until(hour + 16 * minute);
  expect((await line.notified()).filter((each) => each.includes('escalated head'))).toHaveLength(2);
});

test('a team that is gone, as after a restore of the database, is stood in for by operations, and the trail says so', async () => {
  const line = await started();
  const { store } = line.world;
  const [head] = await store.get('teams', ['head']);
  if (!head) throw new Error('there is no team head');
  await store.commit([
    { kind: 'delete', in: 'teams', id: 'head', revision: head.revision },
    await revisionWrite(store),
  ]);
  await line.until(hour + 15 * minute);
  expect((await line.notified()).at(-1)).toBe('75 escalated operations: ops@example.com');
  const [, , second] = await line.trail('RES_001');
  expect(second?.notNotified).toContainEqual(expect.objectContaining({ detail: 'There is no team head' }));
});

test('who was to be notified next is asked anew at each step', async () => {
  const line = await started();
  await line.until(hour + 5 * minute);
  const { teams } = await loadConfiguration(line.world);
  expect(teams.get('operations')?.escalation).toEqual(policy);
  await giveTeam(line.world, 'operations', {
    emails: ['ops@example.com'],
    escalation: { steps: [...policy.steps.slice(0, 1), { afterMinutes: 15, team: 'night' }] },
  });
  await line.until(hour + 15 * minute);
  expect((await line.notified()).at(-1)).toBe('75 escalated night: night@example.com');
});

/** Anna is on call until 11:30 on the first day, then Bo. The tests begin on a Friday at 10:00. Times are in UTC. */
const duty: TeamContacts = {
  people: [
    { personId: 'anna', name: 'Anna Berg', email: 'anna@example.com', phone: '+46703333333' },
    { personId: 'bo', name: 'Bo', phone: '+46704444444' },
  ],
  rotations: [
    {
      people: ['anna', 'bo'],
      handover: { weekday: 'fri', time: '12:30' },
      timeZone: 'Europe/Stockholm',
      startsAt: at(-hour),
    },
  ],
};

test('an escalation says who is on call when the next step is taken, by the policy as it is when it leaves', async () => {
  const steps = [
    { afterMinutes: 0, team: 'night' },
    { afterMinutes: 60, onCall: true as const },
  ];
  const line = await started({ steps }, {}, duty);
  await line.until(hour);
  const [mail] = (await messagesOf(line.world)).filter(({ message }) => message?.occasion === 'escalated');
  if (!mail) throw new Error('nothing was escalated');
  const next = async () => /Next: [^.]*/.exec((await render(line.world, mail, line.world.now()))?.body ?? '')?.[0];
  // Anna is on call now; Bo will be when the next step is due in an hour.
  expect(await next()).toMatch(/^Next: Bo \(on call\) at /);
  await giveTeam(line.world, 'operations', {
    ...duty,
    escalation: { steps: [...steps.slice(0, 1), { afterMinutes: 60, team: 'head' }] },
  });
  // A process reads the changed settings within a minute.
  line.world.pass(60);
  expect(await next()).toMatch(/^Next: head at /);
  line.world.pass(60 * 60);
  expect(await next()).toBeUndefined();
});
const onCall: EscalationPolicy = { steps: [{ afterMinutes: 0, onCall: true }] };

test('who is on call is notified by mail, by phone only where that is all there is, and a reminder is for who is on call by then', async () => {
  const line = await started(onCall, {}, duty);
  await line.until(hour + 31 * minute);
  expect(await line.notified()).toEqual([
    '0 opened operations: ops@example.com',
    '60 escalated operations: Anna Berg anna@example.com',
    '90 reminded operations: Bo +46704444444',
  ]);
  const [alert] = await line.alerts();
  if (!alert) throw new Error('no alert');
  const { title } = alertContent(alert, 'reminded', {
    now: line.world.now(),
    timeZone: 'UTC',
    link: 'https://w.example',
  });
  expect(title).toContain('reminder 1 of 9 to Bo (on call)');
});

test('nobody on call is said to operations at once, with the reason', async () => {
  const rotations = duty.rotations?.map((rotation) => ({ ...rotation, startsAt: at(24 * hour) })) ?? [];
  const line = await started(onCall, {}, { ...duty, rotations });
  await line.until(hour + 31 * minute);
  expect(await line.notified()).toEqual([
    '0 opened operations: ops@example.com',
    '60 escalated operations: ops@example.com',
    '90 reminded operations: ops@example.com',
  ]);
  const [, escalated] = await line.trail('RES_001');
  expect(escalated?.notNotified).toMatchObject([{ reason: 'no-contact', detail: 'Nobody is on call in operations' }]);
  const [alert] = await line.alerts();
  expect(alert?.step?.to).toBe('operations, because nobody is on call in operations');
});

test('an explanation says when each further step comes, and who is on call by then', async () => {
  const steps = [...onCall.steps, { afterMinutes: 10, team: 'night' }, { afterMinutes: 35, onCall: true as const }];
  const line = await started({ steps, repeatMinutes: 30 }, {}, duty);
  const [{ alertId = '' } = {}] = await line.alerts();
  const next = async () => {
    const explained = await explainAlert(line.world, ana, alertId);
    return explained.next.map(
      ({ at: instant, what }) => `${(Date.parse(instant) - Date.parse(at(0))) / 60_000} ${what}`,
    );
  };
  const ahead = [
    '60 Nobody answers: escalated to Anna Berg (on call) (step 1 of 3)',
    '70 Nobody answers: escalated to night (step 2 of 3)',
    '95 Nobody answers: escalated to Bo (on call) (step 3 of 3)',
    '120 Nobody answers: reminder to Bo (on call), from then on every 30 min, after 4 h every 4 h',
  ];
  expect(await next()).toEqual(ahead);
  await line.until(hour + 11 * minute);
  expect(await next()).toEqual(ahead.slice(2));
  await line.until(hour + 70 * minute);
  expect(await next()).toEqual([ahead.at(-1)?.replace('120', '150')]);
  await line.acts('RES_001', { kind: 'acknowledge' });
  expect(await next()).toEqual([]);
});

const teamNames = ['night', 'head', 'operations', 'empty'];
const anyPolicy = fc
  .record({
    gaps: fc.array(fc.integer({ min: 1, max: 240 }), { maxLength: 4 }),
    names: fc.array(fc.constantFrom(...teamNames), { minLength: 5, maxLength: 5 }),
    repeatMinutes: fc.integer({ min: 5, max: 240 }),
  })
  .map(({ gaps, names, repeatMinutes }): EscalationPolicy => {
    const times = [0];
    for (const gap of gaps) times.push((times.at(-1) ?? 0) + gap);
    const steps = times.map((afterMinutes, index) => ({ afterMinutes, team: names[index] ?? 'night' }));
    return { steps: steps.filter(({ afterMinutes }) => afterMinutes <= 24 * 60), repeatMinutes };
  });

test('no policy falls silent: the gap between two notifications is never longer than promised, and they never end', async () => {
  await fc.assert(
    fc.asyncProperty(anyPolicy, async (escalation) => {
      const line = await started(escalation, { empty: {} });
      const end = 36 * hour;
      await line.until(end);
      const times = [...new Set((await line.notified()).map((each) => Number(each.split(' ')[0])))];
      const steps = escalation.steps.map(({ afterMinutes }) => 60 + afterMinutes);
      expect(times.slice(1, 1 + steps.length)).toEqual(steps);
      const last = steps.at(-1) ?? 60;
      for (const [index, time] of times.entries()) {
        const next = times[index + 1] ?? end / minute;
        const promised =
          time < last
            ? 240
            : time < last + 240 - (escalation.repeatMinutes ?? 30)
              ? (escalation.repeatMinutes ?? 30)
              : 240;
        expect(next - time).toBeLessThanOrEqual(promised);
      }
    }),
    { numRuns: 40 },
  );
});
