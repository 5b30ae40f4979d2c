import { expect, test } from 'vitest';
import { type AlertCommand, actOnAlert } from '../../../shared/app/alerts/actions.ts';
import { createWindow, putWindow } from '../../../shared/app/maintenance/windows.ts';
import { getSettings, putSettings } from '../../../shared/app/settings/settings.ts';
import { ana, giveRule, giveTeam } from '../../support/records/alerts.ts';
import { createChronicle } from '../../support/world/chronicle.ts';

const hour = 3600;
/** Kinds of records that are left out, because these stories are about notifications. */
const leftOut = ['devices', 'events', 'fleetCounters', 'trendCounters', 'links', 'html'];
const memory = (usedPercent: number) => ({ groupId: 'north', name: 'Door', memory: { usedPercent } });
type Chronicle = ReturnType<typeof createChronicle>;

/** The newest alert of a code. */
async function newest({ world }: Chronicle, code: string) {
  const found = (await world.store.find({ in: 'alerts', limit: 1000 })).map(({ data }) => data);
  return found
    .filter((alert) => alert.code === code)
    .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
    .at(-1);
}

async function acts(chronicle: Chronicle, code: string, command: AlertCommand, who = ana) {
  const alert = await newest(chronicle, code);
  await chronicle.step(`${who.subject}: ${JSON.stringify(command)} ${code}`, () =>
    actOnAlert(chronicle.world, who, alert?.alertId ?? '', command, null),
  );
}

test('what people do with an alert, and how they undo it', async () => {
  const chronicle = createChronicle();
  const { world, says, passes, text } = chronicle;
  const act = (command: AlertCommand, who = ana) => acts(chronicle, 'RES_001', command, who);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: ['+46701111111'] });
  await says('cam-1', 'status', memory(93));
  await passes(30);
  await act({ kind: 'acknowledge', comment: 'On my way' });
  await passes(10);
  await act({ kind: 'add-note', text: 'The lift is out of order' });
  await act({ kind: 'unacknowledge' });
  await passes(60);
  await act({ kind: 'snooze', minutes: 30, comment: 'After lunch' });
  await passes(5);
  await act({ kind: 'unsnooze' });
  await act({ kind: 'snooze', until: new Date(Date.parse(world.now()) + 20 * 60_000).toISOString() });
  await passes(30 * 60);
  await act({ kind: 'acknowledge' }, { ...ana, subject: 'bo' });
  await passes(120);
  await act({ kind: 'resolve', comment: 'Restarted it' });
  await passes(60);
  await act({ kind: 'reopen', comment: 'It is back' });
  await says('cam-1', 'status', memory(20));
  await passes(60);
  await says('cam-1', 'status', memory(96));
  await passes(60);
  await act({ kind: 'snooze', minutes: 60 });
  await says('cam-1', 'status', memory(10));
  await passes(20 * 60);
  await says('cam-1', 'status', memory(96));
  await passes(2 * hour);
  await expect(text()).toMatchFileSnapshot('actions.txt');
});

test('nobody answers: steps of a policy, reminders, and rules that change who is notified', async () => {
  const chronicle = createChronicle({ leftOut });
  const { world, says, passes, text } = chronicle;
  await giveTeam(world, 'night', { emails: ['night@example.com'], phones: ['+46701111111'] });
  await giveTeam(world, 'head', { emails: ['head@example.com'], phones: ['+46702222222'] });
  await giveTeam(world, 'operations', {
    emails: ['ops@example.com'],
    people: [
      { personId: 'ada', name: 'Ada', email: 'ada@example.com', phone: '+46703333333' },
      { personId: 'ben', name: 'Ben', email: 'ben@example.com' },
    ],
    rotations: [{ people: ['ada', 'ben'], handover: { weekday: 'fri', time: '12:00' }, timeZone: 'Europe/Stockholm' }],
    escalation: {
      steps: [
        { afterMinutes: 0, onCall: true },
        { afterMinutes: 15, team: 'night' },
        { afterMinutes: 20, team: 'head', channels: ['sms'] },
      ],
      repeatMinutes: 30,
    },
  });
  await giveRule(world, {
    name: 'Doors first',
    condition: { code: 'RES_*', device: ['cam-2'] },
    action: { team: 'night', escalate_to: 'head', notify: ['sms'], mute: ['email'], priority: 'high' },
  });
  await giveRule(world, {
    name: 'Not the store room',
    condition: { code: '*', group: ['store'] },
    action: { suppress: true },
  });
  await says('cam-1', 'status', memory(93));
  await says('cam-2', 'status', memory(93));
  await says('cam-3', 'status', { ...memory(93), groupId: 'store' });
  await passes(2.5 * hour);
  await expect(text()).toMatchFileSnapshot('escalation.txt');
});

test('quiet hours and maintenance windows hold messages, and say later what stood', async () => {
  const chronicle = createChronicle({ leftOut });
  const { world, says, passes, text } = chronicle;
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: ['+46701111111'] });
  const { settings } = await getSettings(world);
  await putSettings(
    world,
    {
      ...settings,
      channels: { ...settings.channels, WARNING: { ...settings.channels.WARNING, email: true } },
      quietHours: { schedule: 'lunch', hold: ['WARNING', 'ERROR'] },
      schedules: { lunch: { timeZone: 'UTC', periods: [{ days: ['fri'], from: '11:00', to: '13:00' }] } },
    },
    null,
  );
  await passes(1.5 * hour);
  await says('cam-1', 'status', memory(82));
  await says('cam-2', 'status', memory(92));
  await says('cam-3', 'connection', { status: 'offline' });
  await passes(2 * hour);
  const startsAt = new Date(Date.parse(world.now()) + 10 * 60_000).toISOString();
  const endsAt = new Date(Date.parse(world.now()) + 70 * 60_000).toISOString();
  const works = { name: 'Works', reason: 'New switch', scope: { groups: ['north'] }, startsAt, endsAt };
  await chronicle.step('ana plans works', () => createWindow(world, ana, works, 'w-1'));
  await passes(15 * 60);
  await says('cam-4', 'status', memory(95));
  await says('cam-4', 'connection', { status: 'offline' });
  await passes(20 * 60);
  const longer = { ...works, endsAt: new Date(Date.parse(endsAt) + 30 * 60_000).toISOString() };
  await chronicle.step('ana makes the works longer', () => putWindow(world, ana, 'w-1', longer, null));
  await says('cam-1', 'status', memory(20));
  await passes(3 * hour);
  await expect(text()).toMatchFileSnapshot('silence.txt');
});

test('many alerts for one address leave as digests', async () => {
  const chronicle = createChronicle({ leftOut });
  const { world, says, passes, text } = chronicle;
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: ['+46701111111'] });
  for (let number = 1; number <= 5; number += 1) {
    await says(`cam-${number}`, 'status', {
      ...memory(93),
      name: `Door ${number}`,
      groupId: number > 3 ? 'south' : 'north',
    });
    await says(`cam-${number}`, 'status', { certificate: { valid: false, reason: 'expired' } });
    await passes(5);
  }
  await passes(70);
  await says('cam-1', 'status', memory(20));
  await says('cam-2', 'status', { certificate: { valid: true } });
  await passes(40 * 60);
  await expect(text()).toMatchFileSnapshot('digests.txt');
});
