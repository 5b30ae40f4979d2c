import { expect, test } from 'vitest';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import { readLink, useLink } from '../../../../shared/app/links/links.ts';
import { type LinkRecord, linkIdOf } from '../../../../shared/domain/notify/link.ts';
import { targetIdOf } from '../../../../shared/domain/notify/target.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { AppError } from '../../../../shared/errors.ts';
import { alertOf, ana, giveTeam, openTestAlert } from '../../../support/records/alerts.ts';
import { giveIncident } from '../../../support/records/incidents.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const token = 'abcdefghijklmnopqrst-_';
const call = { address: null, requestId: 'r' };

async function giveLink(world: TestWorld, about: Pick<LinkRecord, 'kind' | 'id'>): Promise<void> {
  const linkId = linkIdOf(token) ?? '';
  const expiresAt = plus(startOfTests, 60_000);
  const data = {
    ...about,
    linkId,
    target: 'a…@example.com',
    targetId: targetIdOf({ target: { kind: 'email', team: 'operations', address: 'ana@example.com' } }),
    team: 'operations',
    expiresAt,
    usedAt: null,
    expireAt: plus(expiresAt, 60_000),
  };
  await world.store.commit([{ kind: 'create', in: 'links', id: linkId, data }]);
  await giveTeam(world, 'operations', { emails: ['ana@example.com'] });
}

test('a link acts only while its address is in the team that it was sent to', async () => {
  const world = createTestWorld();
  const id = await openTestAlert(world);
  await giveLink(world, { kind: 'alert', id });
  expect((await readLink(world, token)).mayAcknowledge).toBe(true);
  await giveTeam(world, 'operations', { emails: ['amy@example.com'] });
  await expect(readLink(world, token)).rejects.toMatchObject({ code: 'link-expired' });
  await expect(useLink(world, token, call)).rejects.toMatchObject({ code: 'link-expired' });
  expect((await alertOf(world, id)).status).toBe('active');
  await giveTeam(world, 'operations', { emails: ['amy@example.com', 'ana@example.com'] });
  expect(await useLink(world, token, call)).toMatchObject({ mayAcknowledge: false });
});

test('a link of an alert takes that alert, once, and until the moment at which it expires', async () => {
  const world = createTestWorld();
  const id = await openTestAlert(world);
  await giveLink(world, { kind: 'alert', id });
  const { content, mayAcknowledge } = await readLink(world, token);
  expect(mayAcknowledge).toBe(true);
  expect(JSON.stringify(content)).toContain(`https://console.example.com/alerts/${id}`);
  world.pass(59);
  expect(await useLink(world, token, call)).toMatchObject({ mayAcknowledge: false });
  expect(await alertOf(world, id)).toMatchObject({ status: 'acknowledged', acknowledgedBy: 'link:a…@example.com' });
  await expect(useLink(world, token, call)).rejects.toMatchObject({ code: 'link-used' });
  await expect(readLink(world, token)).rejects.toMatchObject({ code: 'link-used' });
});

test('a link is too old in the moment at which it expires', async () => {
  const world = createTestWorld();
  await giveLink(world, { kind: 'alert', id: await openTestAlert(world) });
  world.pass(60);
  await expect(readLink(world, token)).rejects.toMatchObject({ code: 'link-expired' });
});

test('a link of an incident takes that incident', async () => {
  const world = createTestWorld();
  const incidentId = await giveIncident(world, '7b8f2f3e-2a0e-5a53-8c55-1d0f6c1f2b77', 'north', 'Gate');
  await giveLink(world, { kind: 'incident', id: incidentId });
  const { content, mayAcknowledge } = await readLink(world, token);
  expect(mayAcknowledge).toBe(true);
  expect(JSON.stringify(content)).toContain(`https://console.example.com/incidents/${incidentId}`);
  expect(await useLink(world, token, call)).toMatchObject({ mayAcknowledge: false });
  const [stored] = await world.store.get('incidents', [incidentId]);
  expect(stored?.data).toMatchObject({ status: 'acknowledged', acknowledgedBy: 'link:a…@example.com' });
});

test.each(['alert', 'incident'] as const)('a link of an %s that is kept no more opens nothing', async (kind) => {
  const world = createTestWorld();
  await giveLink(world, { kind, id: '7b8f2f3e-2a0e-5a53-8c55-1d0f6c1f2b77' });
  await expect(readLink(world, token)).rejects.toMatchObject({ code: 'not-found' });
  await expect(useLink(world, token, call)).rejects.toMatchObject({ code: 'not-found' });
});

test('an unknown link, and what is none, open nothing', async () => {
  await expect(readLink(createTestWorld(), token)).rejects.toMatchObject({ code: 'not-found' });
  await expect(readLink(createTestWorld(), 'x')).rejects.toMatchObject({ code: 'not-found' });
});

test('who comes after somebody else sees that the alert is taken, and does not take it again', async () => {
  const world = createTestWorld();
  const id = await openTestAlert(world);
  await giveLink(world, { kind: 'alert', id });
  await actOnAlert(world, ana, id, { kind: 'acknowledge' }, null);
  const { content, mayAcknowledge } = await useLink(world, token, call);
  expect(mayAcknowledge).toBe(false);
  expect(JSON.stringify(content)).toContain('ana');
  expect((await alertOf(world, id)).acknowledgedBy).toBe('ana');
});

test('who comes when all is over sees that, and nothing changes', async () => {
  const world = createTestWorld();
  const id = await openTestAlert(world);
  await giveLink(world, { kind: 'alert', id });
  await actOnAlert(world, ana, id, { kind: 'resolve' }, null);
  const before = await alertOf(world, id);
  const { content, mayAcknowledge } = await useLink(world, token, call);
  expect([mayAcknowledge, content.title]).toEqual([false, expect.stringContaining(': closed by ana, ')]);
  expect(await alertOf(world, id)).toEqual(before);
});

test('the page says in its title whether somebody has it', async () => {
  const world = createTestWorld();
  await giveLink(world, { kind: 'alert', id: await openTestAlert(world) });
  expect((await readLink(world, token)).content.title).not.toContain('has it');
  expect((await useLink(world, token, call)).content.title).toContain('a…@example.com has it');
});

test.each([
  ['alert', 'acknowledgeAlert', 'alerts'],
  ['incident', 'acknowledgeIncident', 'incidents'],
] as const)('the audit names who took the %s by a link, from where, and what', async (kind, action, resourceKind) => {
  const world = createTestWorld();
  const incidentId = '7b8f2f3e-2a0e-5a53-8c55-1d0f6c1f2b77';
  const id = kind === 'alert' ? await openTestAlert(world) : await giveIncident(world, incidentId, 'north', 'Gate');
  await giveLink(world, { kind, id });
  await useLink(world, token, { address: '192.0.2.7', requestId: 'r-1' });
  const entries = (await world.store.find({ in: 'auditStream', limit: 10 })).map(({ data }) => data);
  expect(entries).toMatchObject([
    {
      subject: 'link:a…@example.com',
      issuer: 'link',
      address: '192.0.2.7',
      requestId: 'r-1',
      action,
      resourceKind,
      resourceId: id,
    },
  ]);
});

test.each([new Error('UNAVAILABLE'), new AppError('unavailable', 'The database is away.')])(
  'a click that could not be kept says so, and the link works afterwards: %s',
  async (fault) => {
    const world = createTestWorld();
    const id = await openTestAlert(world);
    await giveLink(world, { kind: 'alert', id });
    const store = { ...world.store, commit: () => Promise.reject(fault) };
    await expect(useLink({ ...world, store }, token, call)).rejects.toBe(fault);
    expect((await alertOf(world, id)).status).toBe('active');
    expect(await useLink(world, token, call)).toMatchObject({ mayAcknowledge: false });
  },
);
