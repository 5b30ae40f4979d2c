import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import type { Settings } from '../../shared/schema/settings/settings.ts';
import { routingKey } from '../support/handoff/stand-ins.ts';
import {
  chromiumPath,
  eventually,
  goTo,
  openBrowser,
  openPage,
  shoot,
  signIn,
  violationsOn,
} from '../support/stack/browser.ts';
import { callerOf, connectDevice, until } from '../support/stack/stack.ts';

describe.skipIf(!chromiumPath)('setting the service up at the console', () => {
  let stack: Stack;
  let api: ReturnType<typeof callerOf>;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  const reports = () => page.getByRole('list', { name: 'Quarantined reports' }).getByRole('listitem');
  const report = (words: string) => page.locator('.quarantine > li').filter({ hasText: words });
  const settings = async () => (await api.get('/v1/settings')).body as Settings;
  const save = async () => {
    await page.getByRole('button', { name: 'Save settings' }).click();
  };
  const saved = () => eventually(() => page.getByRole('button', { name: 'Save settings' }).isDisabled()).toBe(true);

  beforeAll(async () => {
    const env = { ...process.env, AUTO_REGISTER: 'false' };
    [stack, browser] = await Promise.all([startStack({ isEmbedded: true, timeScale: 50, env }), openBrowser()]);
    api = callerOf(stack);
    const camera = await connectDevice(stack, 'cam-new');
    await camera.send('status', { groupId: 'north', name: 'New gate', memory: { usedPercent: 42 } });
    await camera.send('event', { type: 5, 'a\u202eb': '<img src=x onerror=alert(1)>' });
    await camera.send('status', Buffer.from([0xff, 0xd8, 0x00, 0x41]));
    await camera.client.endAsync();
    await until('three reports in quarantine', async () => (await api.get('/v1/quarantine')).body.reports.length === 3);
    ({ page, problems } = await openPage(browser, stack.run.baseUrl, { theme: 'light' }));
    await signIn(page);
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  test('the list of devices links to the reports that could not be read', async () => {
    await goTo(page, 'devices');
    await page.getByRole('link', { name: 'Reports that could not be read' }).click();
    await eventually(() => page.locator('.quarantine > li').count()).toBe(3);
    await eventually(() => report('Wrong shape').textContent()).toMatch(
      /cam-new.*event.*is a name that holds U\+202E.*native/,
    );
  });

  test('shows every reason, and the bytes as visible text that cannot run as code', async () => {
    await report('Wrong shape').locator('.expand').click();
    const opened = report('Wrong shape').locator('.opened');
    await eventually(() => opened.locator('pre').textContent()).toContain(
      '"a⟨U+202E⟩b":"<img src=x onerror=alert(1)>"',
    );
    expect(await opened.locator('img').count()).toBe(0);
    expect(await opened.getByRole('list', { name: 'What is wrong' }).textContent()).toContain('which cannot be seen');
    await report('Unreadable').locator('.expand').click();
    const bytes = report('Unreadable').locator('.opened pre');
    await eventually(() => bytes.textContent()).toMatch(/^00000 {2}ff d8 00 41\s+\.\.\.A$/);
    await report('Unreadable').getByRole('button', { name: 'Text' }).click();
    await eventually(() => bytes.textContent()).toContain('⟨U+0000⟩A');
    expect(await violationsOn(page)).toEqual([]);
    await shoot(page, 'setup-1-quarantine');
  });

  test('shows the result of a retry: a report that still cannot be read stays', async () => {
    await report('Wrong shape').getByRole('button', { name: 'Retry' }).click();
    await eventually(() => page.locator('.toast').last().textContent()).toContain(
      'It still cannot be read. Wrong shape:',
    );
    await eventually(() => reports().count()).toBeGreaterThanOrEqual(3);
    expect(await report('Wrong shape').count()).toBe(1);
  });

  test('a retry that succeeds registers the device and takes the report off the list', async () => {
    await report('Unknown device').getByRole('button', { name: 'Retry' }).click();
    await eventually(() => report('Unknown device').count()).toBe(0);
    expect(await page.locator('.toast').last().textContent()).toContain('the status of cam-new was handled');
    expect((await api.get('/v1/devices/cam-new')).body).toMatchObject({ name: 'New gate', groupId: 'north' });
    await page.getByLabel('State').selectOption({ label: 'Retried' });
    await eventually(() => page.locator('.quarantine > li').count()).toBe(1);
    expect(page.url()).toContain('status=retried');
    expect(await page.getByRole('button', { name: 'Retry', exact: true }).count()).toBe(0);
  });

  test('retries all reports in one job, which says how many still cannot be read', async () => {
    await page.getByRole('button', { name: 'Retry all…' }).click();
    await page.getByRole('button', { name: /^Retry \d+$/ }).click();
    await eventually(() => page.locator('.toast').last().textContent(), 45_000).toMatch(
      /^Done: 0 reports; \d+ reports still cannot be read/,
    );
    await page.getByRole('button', { name: 'Retry all…' }).waitFor();
  });

  test('dismisses a report, and its message can undo that', async () => {
    await goTo(page, 'quarantine');
    await report('Unreadable').getByRole('button', { name: 'Dismiss' }).click();
    await eventually(() => report('Unreadable').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(() => report('Unreadable').count()).toBe(1);
    expect((await api.get('/v1/quarantine?status=dismissed')).body.reports).toEqual([]);
    await report('Unreadable').getByRole('button', { name: 'Dismiss' }).click();
    await eventually(() => report('Unreadable').count()).toBe(0);
    const { reports: dismissed } = (await api.get('/v1/quarantine?status=dismissed')).body;
    expect(dismissed).toMatchObject([{ reason: 'unreadable' }]);
  });

  test('decommissions a device, but asks first', async () => {
    await goTo(page, 'devices/cam-new');
    await page.getByRole('button', { name: 'Decommission' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => page.getByRole('dialog').count()).toBe(0);
    expect((await api.get('/v1/devices/cam-new')).status).toBe(200);
    await page.getByRole('button', { name: 'Decommission' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Decommission' }).click();
    await eventually(() => page.url()).toMatch(/#\/devices$/);
    await eventually(() => page.locator('.state-title').textContent()).toBe('No devices');
    expect((await api.get('/v1/devices/cam-new')).status).toBe(404);
  });

  test('saves response times and the channels of each severity', async () => {
    await goTo(page, 'settings');
    await page.getByLabel('Critical, minutes').fill('2.5');
    await page.getByRole('checkbox', { name: 'Warning by Email' }).check();
    await page.getByRole('checkbox', { name: 'Critical by SMS' }).uncheck();
    const button = page.getByRole('button', { name: 'Save settings' });
    await button.hover();
    expect(await violationsOn(page), 'under the pointer').toEqual([]);
    await save();
    await saved();
    const { responseSeconds, channels } = await settings();
    expect(responseSeconds.CRITICAL).toBe(150);
    expect([channels.WARNING.email, channels.CRITICAL.sms, channels.CRITICAL.email]).toEqual([true, false, true]);
    await page.reload();
    await eventually(() => page.getByLabel('Critical, minutes').inputValue()).toBe('2.5');
  });

  test('does not overwrite what a colleague saved meanwhile', async () => {
    await page.getByLabel('Error, minutes').fill('45');
    const before = await settings();
    await api.call('PUT', '/v1/settings', { body: { ...before, timeZone: 'Europe/Oslo' } });
    await save();
    await eventually(() => page.getByRole('alert').textContent()).toContain('Somebody else changed this meanwhile');
    expect(await page.getByLabel('Error, minutes').inputValue()).toBe('45');
    await page.getByRole('button', { name: 'Undo changes' }).click();
    await eventually(() => page.getByLabel('Time zone').first().inputValue()).toBe('Europe/Oslo');
    expect((await settings()).responseSeconds.ERROR).toBe(before.responseSeconds.ERROR);
  });

  test('adds a named schedule; a refusal is shown at its field', async () => {
    await goTo(page, 'settings');
    const schedules = page.getByRole('region', { name: 'Named schedules' });
    await schedules.getByRole('button', { name: 'Add a schedule' }).click();
    await schedules.getByLabel('Name').fill('Late Shift');
    await schedules.getByLabel('Time zone').fill('Mars/Base');
    await save();
    const wrong = schedules.locator('.field.wrong');
    await eventually(() => wrong.textContent()).toMatch(/^Name.*refused this name.*Small letters/);
    await schedules.getByLabel('Name').fill('late_shift');
    await save();
    await eventually(() => wrong.textContent()).toMatch(/^Time zone.*IANA/);
    expect(await violationsOn(page)).toEqual([]);
    await shoot(page, 'setup-2-schedule-refused');
    await schedules.getByLabel('Time zone').fill('Europe/Stockholm');
    await schedules.getByRole('button', { name: 'Add a period to late_shift' }).click();
    await schedules.getByRole('group', { name: 'Period 2 of late_shift' }).getByLabel('To').fill('00:00');
    await save();
    await saved();
    expect((await settings()).schedules).toEqual({
      late_shift: {
        timeZone: 'Europe/Stockholm',
        periods: [
          { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '18:00', to: '08:00' },
          { days: ['sat'], from: '09:00', to: '00:00' },
        ],
      },
    });
  });

  test('names who uses a schedule, and what they lose without it', async () => {
    const quietHours = { schedule: 'late_shift', hold: ['WARNING'] };
    expect((await api.call('PUT', '/v1/teams/guards', { body: { quietHours } })).status).toBe(201);
    const rule = { name: 'Late', condition: { code: '*', schedule: 'late_shift' }, action: { priority: 'P4' } };
    const created = await api.call('POST', '/v1/rules', { body: rule });
    expect(created.status).toBe(201);
    await goTo(page, '');
    await goTo(page, 'settings');
    await eventually(() => page.getByRole('region', { name: 'Named schedules' }).textContent()).toContain(
      'Used by 1 rule and 1 team. If it is renamed or removed, rules with it match nothing and quiet hours with it hold nothing.',
    );
    await api.call('DELETE', `/v1/rules/${created.body.ruleId}`);
    await api.call('DELETE', '/v1/teams/guards');
  });

  test('changes and removes schedules; a duplicate name cannot be saved', async () => {
    await goTo(page, 'settings');
    const schedules = page.getByRole('region', { name: 'Named schedules' });
    await schedules.getByRole('button', { name: 'Remove period 2 of late_shift' }).click();
    await schedules.getByRole('checkbox', { name: 'Sun' }).check();
    await schedules.getByRole('button', { name: 'Add a schedule' }).click();
    await schedules.getByLabel('Name').last().fill('late_shift');
    await eventually(() => schedules.textContent()).toContain('Another schedule has this name');
    expect(await page.getByRole('button', { name: 'Save settings' }).isDisabled()).toBe(true);
    await schedules.getByLabel('Name').last().fill('weekend');
    await save();
    await saved();
    const changed = (await settings()).schedules;
    expect(Object.keys(changed)).toEqual(['late_shift', 'weekend']);
    expect(changed['late_shift']?.periods).toMatchObject([{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sun'] }]);
    await schedules.getByRole('button', { name: 'Remove late_shift' }).click();
    await save();
    await saved();
    expect(Object.keys((await settings()).schedules)).toEqual(['weekend']);
  });

  test('offers the schedule in the filter of a webhook', async () => {
    await goTo(page, 'webhooks/new');
    await page.getByText('Filter: all that is given must hold').click();
    const offered = page.locator('datalist option[value="weekend"]');
    await eventually(() => offered.count()).toBe(1);
  });

  test('adds a team, sends a test message, and deletes it', async () => {
    await goTo(page, 'teams');
    await page.getByRole('button', { name: 'New team' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Night');
    const contact = (number: number) => dialog.getByRole('group', { name: `Contact ${number}` });
    await dialog.getByRole('button', { name: 'Add contact' }).click();
    await contact(1).getByLabel('Address').fill('night@example.com');
    await dialog.getByRole('button', { name: 'Add contact' }).click();
    await contact(2).getByLabel('By').selectOption('SMS');
    await contact(2).getByLabel('Address').fill('070 123 45 67');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(() => contact(2).locator('.field.wrong').textContent()).toMatch(/Address.*[a-z]{3}/);
    expect(await contact(1).locator('.field.wrong').count()).toBe(0);
    await contact(2).getByLabel('Address').fill('+46 70 123 45 67');
    await dialog.getByRole('button', { name: 'Add person' }).click();
    await dialog.getByRole('group', { name: 'Person 1' }).getByLabel('Name').fill('Anna Berg');
    await dialog.getByRole('group', { name: 'Person 1' }).getByLabel('Phone').fill('+46 70 123 45 68');
    await dialog.getByRole('button', { name: 'Add rotation' }).click();
    await dialog.getByRole('button', { name: 'Add step' }).click();
    expect(await violationsOn(page)).toEqual([]);
    await shoot(page, 'setup-3-team-form');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const card = page.locator('.card').filter({ hasText: 'Night' });
    await eventually(() => card.getByRole('list', { name: 'Contacts of Night' }).textContent()).toBe(
      'Emailnight@example.comTestSMS+46701234567Test',
    );
    await eventually(() => card.getByRole('region', { name: 'If nobody answers in Night' }).textContent()).toContain(
      'at onceon call, now Anna Berg',
    );
    expect((await api.get('/v1/teams/Night')).body).toMatchObject({
      emails: ['night@example.com'],
      phones: ['+46701234567'],
      people: [{ personId: 'anna-berg', name: 'Anna Berg', phone: '+46701234568' }],
      rotations: [{ people: ['anna-berg'], handover: { weekday: 'mon', time: '08:00' } }],
      escalation: { steps: [{ afterMinutes: 0, onCall: true }], repeatMinutes: 30 },
    });
    expect(await violationsOn(page)).toEqual([]);
    await shoot(page, 'setup-3-team');

    await card.getByRole('button', { name: 'Test Email of Night' }).click();
    await eventually(async () => (await inbox()).flatMap(({ to }) => to ?? [])).toContain('night@example.com');
    await card.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog');
    await eventually(() => question.textContent()).toContain('No rule escalates to it');
    await question.getByRole('button', { name: 'Delete' }).click();
    await eventually(() => card.count()).toBe(0);
    expect((await api.get('/v1/teams')).body.teams.map(({ name }: { name: string }) => name)).toEqual(['operations']);
  });

  test('a hand-off is created, refused, tested, paused and deleted; its key is never shown', async () => {
    await goTo(page, 'teams');
    await page.getByRole('button', { name: 'Add a hand-off to operations' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Night desk');
    await dialog.getByLabel('Integration key').fill('too short');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(() => dialog.locator('.field.wrong').textContent()).toContain('32 letters and digits');
    await dialog.getByLabel('Integration key').fill(routingKey);
    expect(await violationsOn(page)).toEqual([]);
    await shoot(page, 'setup-4-handoff');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('region', { name: 'Hand-offs of operations' }).getByRole('listitem');
    await eventually(() => row.textContent()).toContain('Night desk PagerDuty CRITICAL, ERROR, WARNING');
    const handoffs = async () => (await api.get('/v1/teams/operations')).body.handoffs;
    expect(await handoffs()).toMatchObject([{ kind: 'pagerduty', hasCredential: true, enabled: true }]);

    await row.getByRole('button', { name: 'Test Night desk' }).click();
    await eventually(() => page.locator('.toast').last().textContent()).toContain('A test is on its way to Night desk');
    await row.getByRole('button', { name: 'Change Night desk' }).click();
    expect(await dialog.getByLabel('Integration key').inputValue()).toBe('');
    await dialog.getByLabel('Name').fill('Day dispatcher');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByRole('button', { name: 'Pause Day dispatcher' }).click();
    await eventually(() => row.textContent()).toContain('paused');
    expect(await handoffs()).toMatchObject([{ name: 'Day dispatcher', hasCredential: true, enabled: false }]);
    await row.getByRole('button', { name: 'Resume Day dispatcher' }).click();
    await eventually(async () => (await handoffs())[0].enabled).toBe(true);
    await row.getByRole('button', { name: 'Delete Day dispatcher' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await eventually(() => row.count()).toBe(0);
    expect(await handoffs()).toEqual([]);
  });

  test('shows who is on call, and adds an override', async () => {
    const rotation = {
      people: ['anna', 'bo'],
      handover: { weekday: 'mon', time: '08:00' },
      timeZone: 'Europe/Stockholm',
    };
    const people = [
      { personId: 'anna', name: 'Anna Berg', phone: '+46701234567' },
      { personId: 'bo', name: 'Bo Ek', phone: '+46701234568' },
    ];
    await api.call('PUT', '/v1/teams/operations', { body: { people, rotations: [rotation] } });
    await page.reload();
    await goTo(page, 'teams');
    const onCall = page.getByRole('list', { name: 'On call in operations' });
    await eventually(() => onCall.textContent()).toMatch(
      /^On call: (Anna Berg|Bo Ek) until .*, then (Anna Berg|Bo Ek)/,
    );
    const other = (await onCall.textContent())?.startsWith('On call: Anna') ? people[1] : people[0];
    await onCall.getByRole('button', { name: 'Stand-ins of rotation 1 of operations' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add stand-in' }).click();
    await dialog.getByLabel('On call instead').selectOption(other?.personId ?? '');
    await dialog.getByLabel('From').fill('2020-01-01T00:00');
    await dialog.getByLabel('To').fill('2019-01-01T00:00');
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByLabel('To').fill('2090-01-01T00:00');
    await dialog.getByLabel('The first of the list has the week of').fill('2026-11-16T08:00');
    expect(await violationsOn(page)).toEqual([]);
    await shoot(page, 'setup-5-stand-in');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(() => onCall.textContent()).toContain(`On call: ${other?.name} until`);
    const [saved] = (await api.get('/v1/teams/operations')).body.rotations;
    expect(saved).toMatchObject({ ...rotation, overrides: [{ personId: other?.personId }] });
    expect(Date.parse(saved.startsAt)).toBe(Date.parse('2026-11-16T08:00'));
    expect(await violationsOn(page)).toEqual([]);
    await shoot(page, 'setup-6-on-call');
  });

  test('had no exception, no violation of the security policy and no request to another origin', () => {
    expect(problems).toEqual([]);
  });

  async function inbox(): Promise<{ kind: string; to?: string[] }[]> {
    const { messages } = await (await fetch(`${stack.run.inboxUrl}/messages`)).json();
    return messages.filter(({ kind }: { kind: string }) => kind === 'email');
  }
});
