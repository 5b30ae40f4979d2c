import { changeDevice, getDevice, removeDevice } from '../../../shared/app/devices/devices.ts';
import { listDevices } from '../../../shared/app/devices/list.ts';
import { listActivity } from '../../../shared/app/devices/list-activity.ts';
import { listGuardianAlerts } from '../../../shared/app/devices/list-guardian-alerts.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { World } from '../../../shared/app/ports.ts';
import type { DevicePatch } from '../../../shared/schema/device/device.ts';
import type { Handlers } from '../router.ts';

type DeviceOperations =
  | 'listDevices'
  | 'getDevice'
  | 'changeDevice'
  | 'removeDevice'
  | 'listDeviceActivity'
  | 'listGuardianAlerts';

export function deviceHandlers(world: World, tokens: PageTokens): Pick<Handlers, DeviceOperations> {
  const idOf = (params: Record<string, string>) => params['deviceId'] ?? '';
  return {
    listDevices: async ({ query, bearer }) => ({ body: await listDevices(world, bearer, query, tokens) }),
    getDevice: async ({ params, bearer }) => ({ body: await getDevice(world, bearer, idOf(params)) }),
    changeDevice: async ({ params, bearer, body }) => ({
      body: await changeDevice(world, bearer, idOf(params), body as DevicePatch),
    }),
    removeDevice: async ({ params, bearer }) => {
      await removeDevice(world, bearer, idOf(params));
      return { body: null };
    },
    listDeviceActivity: async ({ params, query, bearer }) => ({
      body: await listActivity(world, bearer, idOf(params), query, tokens),
    }),
    listGuardianAlerts: async ({ query, bearer }) => ({ body: await listGuardianAlerts(world, bearer, query, tokens) }),
  };
}
