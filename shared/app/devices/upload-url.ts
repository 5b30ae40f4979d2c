import type { UploadAddress, UploadRequest } from '../../schema/device/upload.ts';
import type { Bearer } from '../bearer.ts';
import type { Frames, World } from '../ports.ts';
import { loadDevice } from './devices.ts';

const endings = { 'image/jpeg': 'jpg', 'image/png': 'png' } as const;

/**
 * Makes an address to bring one frame of a device to. Its name is ours, below the device's own prefix, so that nothing of another's can be named.
 * @throws AppError `not-found`
 */
export async function createUploadUrl(
  world: World,
  bearer: Bearer,
  frames: Frames,
  deviceId: string,
  { contentType }: UploadRequest,
  newId: string,
): Promise<UploadAddress> {
  await loadDevice(world, bearer, deviceId);
  const frame = `${deviceId}/${world.now().slice(0, 10)}/${newId}.${endings[contentType]}`;
  const signed = await frames.signUpload(frame, contentType);
  // No record changes, and the right to write is given away all the same.
  world.trail?.committed(false);
  return { frame, method: 'PUT', ...signed };
}
