import type { UploadAddress, UploadRequest } from '../../schema/device/upload.ts';
import type { Bearer } from '../bearer.ts';
import type { Frames, World } from '../ports.ts';
import { requireMayWrite } from '../writes/may-write.ts';
import { loadDevice } from './devices.ts';

const endings = { 'image/jpeg': 'jpg', 'image/png': 'png' } as const;

/**
 * Creates an address for uploading one frame of a device. We choose the name, below the device's own prefix, so that it cannot name another
 * device's object.
 * @throws AppError `not-found`
 */
export async function createUploadUrl(
  world: World,
  bearer: Bearer,
  frames: Frames,
  deviceId: string,
  { contentType, frameId }: UploadRequest & { frameId: string },
): Promise<UploadAddress> {
  const { data } = await loadDevice(world, bearer, deviceId);
  requireMayWrite(bearer, 'devices', data, data);
  const frame = `${deviceId}/${world.now().slice(0, 10)}/${frameId}.${endings[contentType]}`;
  const signed = await frames.signUpload(frame, contentType);
  // No record changes, but the call allows a write to the bucket, so it is audited.
  world.trail?.committed(false);
  return { frame, method: 'PUT', ...signed };
}
