import { expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { dismissQuarantined, restoreQuarantined } from '../../../../shared/app/intake/review-quarantine.ts';
import { takeDeadLetter, takeMessage } from '../../../../shared/app/intake/take-message.ts';
import type { World } from '../../../../shared/app/ports.ts';
import { listQuarantine } from '../../../../shared/app/quarantine/quarantine.ts';
import { message } from '../../../support/records/reports.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const bearer = (subject: string, groups: string[] | null = null): Bearer => ({ subject, scopes: new Set(), groups });
const [ana, bo] = [bearer('user:ana'), bearer('user:bo')];
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const unknown = '00000000-0000-4000-8000-000000000000';

async function kept(world: World) {
  const { reports } = await listQuarantine(world, ana, { status: ['all'] }, createPageTokens(Buffer.alloc(32)));
  return reports;
}

async function broken(world: World): Promise<string> {
  await takeMessage(world, message('status', Buffer.from('{')), intake);
  return (await kept(world))[0]?.reportId ?? '';
}

test('who dismisses a message may undo that; a second dismissal by somebody else changes nothing', async () => {
  const world = createTestWorld();
  const id = await broken(world);
  const dismissed = await dismissQuarantined(world, ana, id);
  expect([dismissed.status, typeof dismissed.undoUntil]).toEqual(['dismissed', 'string']);
  expect(await dismissQuarantined(world, ana, id)).toEqual(dismissed);
  const again = await dismissQuarantined(world, bo, id);
  expect([again.status, again.undoUntil]).toEqual(['dismissed', undefined]);
  await expect(restoreQuarantined(world, bo, id)).rejects.toMatchObject({ code: 'invalid-transition' });
  expect((await restoreQuarantined(world, ana, id)).status).toBe('quarantined');
});

test.each<[string, string | null, Bearer]>([
  ['is not there', unknown, ana],
  ['is there, for a bearer who is limited to groups', null, bearer('user:cy', ['north'])],
])('a message that %s is not found', async (_, given, who) => {
  const world = createTestWorld();
  const id = await broken(world);
  await expect(dismissQuarantined(world, who, given ?? id)).rejects.toMatchObject({ code: 'not-found' });
});

test('a dead letter names its device and kind, as far as it can be read', async () => {
  const world = createTestWorld();
  await takeDeadLetter(world, message('status', { memory: { usedPercent: 1 } }), intake);
  await takeDeadLetter(world, message('status', Buffer.from('{')), intake);
  const seen = (await kept(world)).map(({ reason, deviceId, kind }) => ({ reason, deviceId, kind }));
  const letter = { reason: 'dead-letter', deviceId: expect.stringMatching(/.+/), kind: 'status' };
  expect(seen).toEqual([letter, letter]);
});
