import { useMemo } from 'preact/hooks';
import type { Device } from '../../../shared/schema/device/device.ts';
import { useMay } from './auth.ts';
import { useResource } from './resource.ts';

/** The device groups on the first page of devices, in order. They are suggestions, not a complete list. */
export function useGroups(): readonly string[] {
  const { data } = useResource<{ devices: Device[] }>(useMay('devices:read') ? '/v1/devices?pageSize=200' : null);
  return useMemo(() => [...new Set(data?.devices.map(({ groupId }) => groupId))].toSorted(), [data]);
}
