import { expect, test } from 'vitest';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { createUploadUrl } from '../../../../shared/app/devices/upload-url.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { isOwnFrame } from '../../../../shared/domain/detection/detection.ts';
import { message } from '../../../support/records/reports.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const gateway: Bearer = { subject: 'user:gateway', scopes: new Set(['devices:write']), groups: ['north'] };
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;

test('an address to upload to names an object of ours below the device, and only of a device that the bearer sees', async () => {
  const world = createTestWorld();
  await takeMessage(world, message('status', { groupId: 'north' }), intake);
  await takeMessage(world, message('status', { groupId: 'south' }, { deviceId: 'cam-2' }), intake);
  const ask = (deviceId: string) =>
    createUploadUrl(world, gateway, frames, deviceId, { contentType: 'image/png', frameId: 'id-1' });
  const { frame, url, method } = await ask('cam-1');
  expect([frame, method]).toEqual(['cam-1/2026-11-20/id-1.png', 'PUT']);
  expect(isOwnFrame(frame, 'cam-1')).toBe(true);
  expect(url).toContain(frame);
  for (const other of ['cam-2', 'cam-3']) await expect(ask(other)).rejects.toThrow(`There is no device ${other}`);
});
