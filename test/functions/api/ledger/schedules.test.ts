import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi } from '../../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const path = '/v1/reports/schedules';
const schedule = {
  name: 'Harbour',
  every: 'month',
  timeZone: 'Europe/Stockholm',
  by: 'site',
  emails: ['owner@example.com', 'auditor@example.com'],
};

test('a report by mail is created, listed, read, changed with If-Match, paused and deleted', async () => {
  const made = await api.call('POST', path, { body: schedule });
  expect(made.status).toBe(201);
  const { scheduleId } = made.body;
  expect(made.headers.get('Location')).toBe(`${path}/${scheduleId}`);
  expect(made.body).toMatchObject({
    ...schedule,
    ...{ groups: null, enabled: true, last: null, limitedTo: null },
    next: { from: '2026-10-31T23:00:00.000Z', to: '2026-11-30T23:00:00.000Z', sendAt: '2026-12-02T05:00:00.000Z' },
  });
  expect((await api.call('GET', path)).body).toEqual({ schedules: [made.body] });
  expect((await api.call('GET', `${path}/${scheduleId}`)).body).toEqual(made.body);
  const paused = { ...schedule, enabled: false };
  const stale = await api.call('PUT', `${path}/${scheduleId}`, { body: paused, headers: { 'If-Match': '"7"' } });
  expect(stale.status).toBe(412);
  const put = await api.call('PUT', `${path}/${scheduleId}`, { body: paused, headers: { 'If-Match': '"1"' } });
  expect([put.status, put.headers.get('ETag'), put.body.enabled, put.body.next]).toEqual([200, '"2"', false, null]);
  expect((await api.call('DELETE', `${path}/${scheduleId}`)).status).toBe(204);
  expect((await api.call('GET', `${path}/${scheduleId}`)).status).toBe(404);
  const { body } = await api.call('GET', '/v1/audit?action=putReportSchedule');
  expect(body.entries).toMatchObject(
    [
      {
        resource: { kind: 'reports', id: scheduleId },
        outcome: 'done',
        before: { enabled: true },
        after: { enabled: false },
      },
      { outcome: 'refused', reason: 'precondition-failed' },
    ].slice(0, body.entries.length),
  );
});

test.each<[string, object, string]>([
  ['nobody to send it to', { ...schedule, emails: [] }, '/emails'],
  ['an address that is none', { ...schedule, emails: ['owner'] }, '/emails/0'],
  ['an address with a second header', { ...schedule, emails: ['a@example.com\r\nBcc: b@example.com'] }, '/emails/0'],
  ['an address that stands for no other', { ...schedule, emails: ['o…@example.com'] }, '/emails/0'],
  ['an address twice', { ...schedule, emails: ['a@example.com', 'A@Example.com'] }, '/emails/1'],
  ['too many addresses', { ...schedule, emails: Array.from({ length: 21 }, (_, n) => `a${n}@example.com`) }, '/emails'],
  ['a zone that does not exist', { ...schedule, timeZone: 'Europe/Stockhelm' }, '/timeZone'],
  ['another rhythm', { ...schedule, every: 'day' }, '/every'],
  ['no group', { ...schedule, groups: [] }, '/groups'],
  ['two lines of name', { ...schedule, name: 'a\nb' }, '/name'],
  ['an unknown member', { ...schedule, secret: 'x' }, '/secret'],
])('%s is refused by the name of the member', async (_what, body, pointer) => {
  const refused = await api.call('POST', path, { body });
  expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([400, pointer]);
});

test('a report with an unknown time zone is refused', async () => {
  const query = 'from=2026-11-01T00:00:00Z&to=2026-11-20T00:00:00Z&timeZone=Mars/Olympus';
  const refused = await api.call('GET', `/v1/reports/availability?${query}`);
  expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([400, '?timeZone']);
});

test('a report uses the months of its time zone', async () => {
  const query = 'from=2026-10-31T23:00:00Z&to=2026-11-30T23:00:00Z';
  const of = async (zone: string) => {
    const { body } = await api.call('GET', `/v1/reports/availability?${query}${zone}`);
    return [body.timeZone, body.months.map(({ month }: { month: string }) => month)];
  };
  expect(await of('')).toEqual(['UTC', ['2026-10', '2026-11']]);
  expect(await of('&timeZone=Europe/Stockholm')).toEqual(['Europe/Stockholm', ['2026-11']]);
});

test('a limited token creates and sees reports of its own groups only', async () => {
  const token = await api.issuer.token({ groups: ['north'], scope: 'alerts:read settings:read settings:write' });
  const other = await api.call('POST', path, { body: schedule });
  const foreign = await api.call('POST', path, { token, body: { ...schedule, groups: ['north', 'south'] } });
  expect([foreign.status, foreign.body.errors?.[0]?.pointer]).toEqual([400, '/groups']);
  const made = await api.call('POST', path, { token, body: schedule });
  expect(made.body).toMatchObject({ limitedTo: ['north'], emails: ['o…@example.com', 'a…@example.com'] });
  const { scheduleId } = made.body;
  expect((await api.call('GET', path, { token })).body.schedules).toHaveLength(1);
  expect((await api.call('GET', `${path}/${other.body.scheduleId}`, { token })).status).toBe(404);
  // The answer with its masked addresses may be sent back: the stored addresses stay.
  const { name, every, timeZone, by, emails } = made.body;
  const shown = { name: 'Port', every, timeZone, by, emails };
  expect(name).toBe('Harbour');
  expect((await api.call('PUT', `${path}/${scheduleId}`, { token, body: shown })).status).toBe(200);
  const stored = await api.call('GET', `${path}/${scheduleId}`);
  expect(stored.body).toMatchObject({ name: 'Port', emails: schedule.emails, limitedTo: ['north'] });
});

test('a report by mail needs the scope `alerts:read`', async () => {
  const token = await api.issuer.token({ scope: 'settings:write settings:read' });
  const refused = await api.call('POST', path, { token, body: schedule });
  expect([refused.status, refused.body.scope]).toEqual([403, 'alerts:read']);
});

test('a group may have twenty reports', async () => {
  const of = () => api.call('POST', path, { body: { ...schedule, groups: ['east'] } });
  for (let count = 0; count < 20; count += 1) expect((await of()).status).toBe(201);
  const refused = await of();
  expect([refused.status, refused.body.detail]).toEqual([409, 'The group east already has 20 reports, the maximum.']);
});

test('addresses with one masked form do not stand for each other', async () => {
  const token = await api.issuer.token({ groups: ['north'], scope: 'alerts:read settings:read settings:write' });
  const emails = ['ann@example.com', 'bo@example.com', 'amy@example.com'];
  const { body: made } = await api.call('POST', path, { token, body: { ...schedule, emails } });
  const own = `${path}/${made.scheduleId}`;
  expect(made.emails).toEqual(['a…@example.com', 'b…@example.com', 'a…@example.com']);
  const put = (given: string[]) => api.call('PUT', own, { token, body: { ...schedule, emails: given } });
  const stored = async () => (await api.call('GET', own)).body.emails;
  expect((await put(made.emails)).status).toBe(200);
  expect(await stored()).toEqual(emails);
  const one = await put(['a…@example.com', 'b…@example.com']);
  expect([one.status, one.body.errors[0].pointer]).toEqual([400, '/emails/0']);
  expect(await stored()).toEqual(emails);
  expect((await put(['b…@example.com'])).status).toBe(200);
  expect(await stored()).toEqual(['bo@example.com']);
});
