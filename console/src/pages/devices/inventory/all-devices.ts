import type { Device } from '../../../../../shared/schema/device/device.ts';
import { read } from '../../../client/api.ts';
import type { Query } from '../../../client/router.ts';

/** Maximum number of devices to read, 200 per request. */
export const mostRead = 20_000;

/**
 * Reads the matching devices, page by page, until all are read or at least `mostRead`.
 * @param onRead called with the number read so far
 * @throws ApiError if a page cannot be read
 */
export async function readAllDevices(query: Query, onRead: (count: number) => void): Promise<Device[]> {
  const devices: Device[] = [];
  let pageToken: string | undefined;
  do {
    const page: { devices: Device[]; nextPageToken?: string } = await read('/v1/devices', {
      ...query,
      pageSize: '200',
      pageToken,
    });
    devices.push(...page.devices);
    pageToken = page.nextPageToken;
    onRead(devices.length);
  } while (pageToken !== undefined && devices.length < mostRead);
  return devices;
}
