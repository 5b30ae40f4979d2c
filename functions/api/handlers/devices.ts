import { getDevice, removeDevice } from '../../../shared/app/devices/devices.ts';
import { endEnrolment, enrolGuardian } from '../../../shared/app/devices/guardian-key.ts';
import { importDevices } from '../../../shared/app/devices/import.ts';
import { listDevices } from '../../../shared/app/devices/list.ts';
import { listActivity } from '../../../shared/app/devices/list-activity.ts';
import { changeDevice } from '../../../shared/app/devices/register.ts';
import { createUploadUrl } from '../../../shared/app/devices/upload-url.ts';
import { explainDevice } from '../../../shared/app/devices/why.ts';
import { eraseDevice } from '../../../shared/app/jobs/erasure.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { Frames } from '../../../shared/app/ports.ts';
import type { deviceRoutes } from '../../../shared/schema/device/routes.ts';
import type { Handlers } from '../handler.ts';

export function deviceHandlers(
  tokens: PageTokens,
  frames: Frames,
  newId: () => string,
): Handlers<keyof typeof deviceRoutes> {
  return {
    listDevices: async ({ world, query, bearer }) => ({ body: await listDevices(world, bearer, query, tokens) }),
    importDevices: async ({ world, query, bearer, body }) => ({
      body: await importDevices(world, bearer, body, query.dryRun ?? false),
    }),
    getDevice: async ({ world, params, bearer }) => ({ body: await getDevice(world, bearer, params.deviceId) }),
    explainDevice: async ({ world, params, bearer }) => ({ body: await explainDevice(world, bearer, params.deviceId) }),
    changeDevice: async ({ world, params, bearer, body }) => ({
      body: await changeDevice(world, bearer, params.deviceId, body),
    }),
    removeDevice: async ({ world, params, query, bearer }) => {
      if (query.erase) await eraseDevice(world, bearer, params.deviceId, newId());
      else await removeDevice(world, bearer, params.deviceId);
      return { body: null };
    },
    enrolGuardian: async ({ world, params, bearer, body }) => ({
      body: await enrolGuardian(world, bearer, params.deviceId, body),
    }),
    endGuardianEnrolment: async ({ world, params, bearer }) => {
      await endEnrolment(world, bearer, params.deviceId);
      return { body: null };
    },
    createUploadUrl: async ({ world, params, bearer, body }) => ({
      body: await createUploadUrl(world, bearer, frames, params.deviceId, { ...body, frameId: newId() }),
    }),
    listDeviceActivity: async ({ world, params, query, bearer }) => ({
      body: await listActivity(world, bearer, params.deviceId, query, tokens),
    }),
  };
}
