import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfiguration } from '../../../shared/app/settings/configuration.ts';
import { defaultSettings } from '../../../shared/domain/settings/settings.ts';
import { alertOf, giveTeam, messagesOf, openTestAlert } from '../../support/records/alerts.ts';
import { startTestApi } from '../../support/world/api.ts';
import { box } from '../../support/world/secret-box.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const rule = {
  name: 'Entrances at night',
  condition: { code: 'CONN_001', group: ['entrances'] },
  action: { escalate_to: 'night', notify: ['sms', 'email'], priority: 'P1' },
};

describe('rules', () => {
  test('are created, read, replaced and deleted, and apply to the next alert at once', async () => {
    await giveTeam(api.world, 'night', { phones: ['+46701234567'] });
    const created = await api.call('POST', '/v1/rules', { body: rule });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ ...rule, enabled: true });
    const path = created.headers.get('location') ?? '';
    expect((await api.call('GET', path)).body).toEqual(created.body);
    const alertId = await openTestAlert(api.world, { groupId: 'entrances' });
    expect(await alertOf(api.world, alertId)).toMatchObject({ status: 'escalated', team: 'night', priority: 'P1' });
    expect((await messagesOf(api.world)).map(({ targetName }) => targetName)).toEqual(['night: +46701234567']);
    const etag = created.headers.get('etag') ?? '';
    const replaced = await api.call('PUT', path, { body: { ...rule, enabled: false }, headers: { 'If-Match': etag } });
    expect(replaced.status).toBe(200);
    expect((await api.call('PUT', path, { body: rule, headers: { 'If-Match': etag } })).status).toBe(412);
    const other = await openTestAlert(api.world, { groupId: 'entrances' });
    expect(await alertOf(api.world, other)).toMatchObject({ status: 'active', rules: [] });
    expect((await api.call('DELETE', path)).status).toBe(204);
    expect((await api.call('GET', path)).status).toBe(404);
    expect((await api.call('GET', '/v1/rules')).body.rules).toEqual([]);
  });

  test('have unique names', async () => {
    await api.call('PUT', '/v1/teams/night', { body: {} });
    await api.call('POST', '/v1/rules', { body: rule });
    expect((await api.call('POST', '/v1/rules', { body: rule })).body).toMatchObject({ code: 'already-exists' });
  });

  test.each([
    [{ ...rule, name: '' }, '/name'],
    [{ ...rule, condition: { code: 'CONN_009', group: [] } }, '/condition/code'],
    [{ ...rule, condition: { code: 'CONN_001', group: ['a b'] } }, '/condition/group/0'],
    [{ ...rule, action: {} }, '/action'],
    [{ ...rule, action: { notify: ['fax'] } }, '/action/notify/0'],
    [{ ...rule, action: { notify: [] } }, '/action/notify'],
    [{ ...rule, action: { priority: 'x'.repeat(41) } }, '/action/priority'],
    [{ ...rule, condition: { ...rule.condition, schedule: 'gone' } }, '/condition/schedule'],
    [{ ...rule, condition: { ...rule.condition, tags: {} } }, '/condition/tags'],
    [{ ...rule, more: 1 }, '/more'],
  ])('%j is refused at %s', async (body, pointer) => {
    const answer = await api.call('POST', '/v1/rules', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
  });

  test('a preview shows what a rule would have matched and whom it would have notified, and changes nothing', async () => {
    await giveTeam(api.world, 'operations', { emails: ['ops@example.com'], phones: ['+46701234567'] });
    await openTestAlert(api.world, { groupId: 'entrances' });
    await openTestAlert(api.world, { groupId: 'north' });
    const before = (await messagesOf(api.world)).length;
    const preview = { name: 'p', condition: { code: 'CONN_*', group: ['entrances'] }, action: { mute: ['email'] } };
    const { status, body } = await api.call('POST', '/v1/rules/preview', { body: { rule: preview, days: 7 } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      examined: 2,
      isComplete: true,
      matched: 1,
      changed: 1,
      messages: { today: { email: 1, sms: 1, webhook: 1 }, withRule: { email: 0, sms: 1, webhook: 1 } },
      alerts: [
        {
          groupId: 'entrances',
          withRule: { notified: [{ channel: 'sms', target: '+46701234567' }, { channel: 'webhook' }] },
        },
      ],
    });
    expect((await messagesOf(api.world)).length).toBe(before);
    expect((await api.call('GET', '/v1/rules')).body.rules).toEqual([]);
  });
});

describe('teams', () => {
  test('include `operations` always; the address of a chat is never shown, and is kept when its masked form is sent', async () => {
    expect((await api.call('GET', '/v1/teams')).body.teams.map(({ name }: { name: string }) => name)).toEqual([
      'operations',
    ]);
    expect((await api.call('DELETE', '/v1/teams/operations')).status).toBe(409);
    const url = 'https://hooks.slack.com/services/T000/B000/secretsecret';
    const created = await api.call('PUT', '/v1/teams/night', { body: { chats: [{ kind: 'slack', url }] } });
    expect(created.status).toBe(201);
    expect(JSON.stringify(created.body)).not.toContain('secretsecret');
    const { emails, chats, phones } = created.body;
    await api.call('PUT', '/v1/teams/night', { body: { emails: ['n@example.com'], chats, phones } });
    const [stored] = await api.world.store.get('teams', ['night']);
    expect(stored?.data).toMatchObject({ emails: ['n@example.com'], chats: [{ chatId: chats[0].chatId }] });
    const [chat] = stored?.data.chats ?? [];
    expect(box.open(chat?.sealedUrl ?? '', `teams/night/chats/${chat?.chatId}`)).toBe(url);
    expect(JSON.stringify(stored)).not.toContain(url.slice(-10));
    expect(emails).toEqual([]);
    const audit = await api.world.store.find({ in: 'auditStream', limit: 10 });
    expect(audit.map(({ data }) => [data.resourceKind, data.resourceId, data.subject, data.action])).toEqual([
      ['teams', 'night', 'user:ana', 'putTeam'],
      ['teams', 'night', 'user:ana', 'putTeam'],
    ]);
    expect(JSON.stringify(audit)).not.toContain('secretsecret');
  });

  test.each([
    [{ emails: ['no'] }, '/emails/0'],
    [{ emails: ['a@b.example\r\nBcc: x@y.example'] }, '/emails/0'],
    [{ phones: ['0701234567'] }, '/phones/0'],
    [{ chats: [{ kind: 'slack', url: 'http://hooks.slack.com/x' }] }, '/chats/0/url'],
    [{ chats: [{ kind: 'slack', url: 'https://169.254.169.254/latest' }] }, '/chats/0/url'],
    [{ chats: [{ kind: 'irc', url: 'https://example.com/' }] }, '/chats/0/kind'],
  ])('%j is refused at %s', async (body, pointer) => {
    const answer = await api.call('PUT', '/v1/teams/night', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].pointer).toBe(pointer);
  });

  test('a test message goes to each contact through the pipeline', async () => {
    await giveTeam(api.world, 'night', { emails: ['n@example.com'], phones: ['+46701234567'] });
    const all = await api.call('POST', '/v1/teams/night/test', { body: {} });
    expect(all.status).toBe(202);
    expect(all.body.deliveries.map(({ channel }: { channel: string }) => channel)).toEqual(['email', 'sms']);
    expect((await api.call('POST', '/v1/teams/night/test', { body: { channel: 'chat' } })).status).toBe(400);
    expect((await messagesOf(api.world)).map(({ eventType }) => eventType)).toEqual(['test', 'test']);
  });
});

describe('settings', () => {
  test('have defaults, are replaced as a whole with If-Match, and the history shows who changed them', async () => {
    const { body, headers } = await api.call('GET', '/v1/settings');
    expect(body).toEqual(defaultSettings);
    const etag = headers.get('etag') ?? '';
    const next = {
      ...defaultSettings,
      timeZone: 'Europe/Stockholm',
      runbooks: { CONN_001: 'https://wiki.example.com/offline' },
      schedules: { nights: { periods: [{ days: ['sat'], from: '22:00', to: '06:00' }] } },
    };
    expect((await api.call('PUT', '/v1/settings', { body: next, headers: { 'If-Match': etag } })).status).toBe(200);
    expect((await api.call('GET', '/v1/settings')).body).toEqual(next);
    expect((await api.call('PUT', '/v1/settings', { body: next, headers: { 'If-Match': etag } })).status).toBe(412);
    const [entry] = await api.world.store.find({ in: 'auditStream', limit: 10 });
    expect(entry?.data).toMatchObject({ action: 'putSettings', subject: 'user:ana' });
    expect(JSON.parse(entry?.data.after ?? '')).toEqual(next);
  });

  test.each([
    [{ ...defaultSettings, timeZone: 'Mars/Olympus' }, '/timeZone'],
    [{ ...defaultSettings, businessHours: [{ days: ['mon'], from: '25:00', to: '18:00' }] }, '/businessHours/0/from'],
    [
      { ...defaultSettings, responseSeconds: { ...defaultSettings.responseSeconds, CRITICAL: 0 } },
      '/responseSeconds/CRITICAL',
    ],
    [{ ...defaultSettings, schedules: { always: { periods: defaultSettings.businessHours } } }, '/schedules/always'],
    [
      { ...defaultSettings, schedules: { 'Late shift': { periods: defaultSettings.businessHours } } },
      '/schedules/Late shift',
    ],
    [{ ...defaultSettings, schedules: { 'Late shift': null } }, '/schedules/Late shift'],
    [{ ...defaultSettings, runbooks: { CONN_009: 'https://wiki.example.com' } }, '/runbooks/CONN_009'],
    // A `javascript:` link would run with the rights of the console.
    [{ ...defaultSettings, runbooks: { CONN_001: 'javascript:alert(1)' } }, '/runbooks/CONN_001'],
    // The contract: a connection counts as lost after more than 5 minutes.
    [
      { ...defaultSettings, reporting: { periodSeconds: 10, silentAfterSeconds: 299 } },
      '/reporting/silentAfterSeconds',
    ],
    [
      { ...defaultSettings, reporting: { periodSeconds: 10, lossPatienceSeconds: 299 } },
      '/reporting/lossPatienceSeconds',
    ],
    [
      { ...defaultSettings, groupReporting: { north: { periodSeconds: 10, silentAfterSeconds: 299 } } },
      '/groupReporting/north/silentAfterSeconds',
    ],
    [{ ...defaultSettings, channels: { ...defaultSettings.channels, INFO: { email: true } } }, '/channels/INFO/chat'],
  ])('what does not fit is named: %#', async (body, pointer) => {
    const answer = await api.call('PUT', '/v1/settings', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
  });
});

test('a team over the limit of 200 is refused, and one place is reserved for `operations`', async () => {
  const putTeam = (name: string) => api.call('PUT', `/v1/teams/${name}`, { body: { emails: ['n@example.com'] } });
  for (let count = 0; count < 199; count += 1) expect((await putTeam(`team-${count}`)).status).toBe(201);
  const refused = await putTeam('zz');
  expect([refused.status, refused.body.code]).toEqual([409, 'quota-exceeded']);
  expect(refused.body.detail).toBe('There are already 200 teams, the maximum.');
  expect((await putTeam('team-7')).status).toBe(200);
  expect((await putTeam('operations')).status).toBe(201);
  const { teams } = await loadConfiguration(api.world);
  expect([teams.size, teams.get('operations')?.emails]).toEqual([200, ['n@example.com']]);
  await api.call('DELETE', '/v1/teams/team-7');
  expect((await putTeam('zz')).status).toBe(201);
});
