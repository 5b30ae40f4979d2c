import { GuardianKey } from '../guardian/envelope.ts';
import type { Routes } from '../route.ts';
import { ActivityList, ActivityQuery } from './activity.ts';
import { Device, DeviceList, DevicePatch, DevicesQuery } from './device.ts';
import { UploadAddress, UploadRequest } from './upload.ts';

/** Devices and what happened on them. */
export const deviceRoutes = {
  listDevices: {
    method: 'get',
    path: '/v1/devices',
    scope: 'devices:read',
    summary: 'List devices in order of their id.',
    query: DevicesQuery,
    answer: DeviceList,
  },
  getDevice: {
    method: 'get',
    path: '/v1/devices/{deviceId}',
    scope: 'devices:read',
    summary: 'Read one device.',
    answer: Device,
  },
  changeDevice: {
    method: 'patch',
    path: '/v1/devices/{deviceId}',
    scope: 'devices:write',
    summary: 'Name a device or move it to another group; its reports no longer change what is set by hand.',
    body: DevicePatch,
    answer: Device,
  },
  removeDevice: {
    method: 'delete',
    path: '/v1/devices/{deviceId}',
    scope: 'devices:write',
    summary: 'Decommission a device: its open alerts are resolved. A further report registers it anew.',
    answer: null,
    status: 204,
  },
  enrolGuardian: {
    method: 'put',
    path: '/v1/devices/{deviceId}/guardian-key',
    scope: 'devices:write',
    summary:
      "Register the key that the device's guardian signs with. An older key is good for 24 hours, or until the new one is first used.",
    body: GuardianKey,
    answer: Device,
  },
  endGuardianEnrolment: {
    method: 'delete',
    path: '/v1/devices/{deviceId}/guardian-key',
    scope: 'devices:write',
    summary: "End the enrolment of the device's guardian: what it says without a signature is taken again.",
    answer: null,
    status: 204,
  },
  createUploadUrl: {
    method: 'post',
    path: '/v1/devices/{deviceId}/upload-urls',
    scope: 'devices:write',
    summary: 'Make an address to which one frame of the device can be brought within 15 minutes.',
    body: UploadRequest,
    answer: UploadAddress,
    status: 201,
  },
  listDeviceActivity: {
    method: 'get',
    path: '/v1/devices/{deviceId}/activity',
    scope: 'devices:read',
    summary: 'What happened on a device and with its alerts, newest first.',
    query: ActivityQuery,
    answer: ActivityList,
  },
} as const satisfies Routes;
