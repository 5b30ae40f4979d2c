import { GuardianKey } from '../guardian/envelope.ts';
import type { Routes } from '../route.ts';
import { ActivityList, ActivityQuery } from './activity.ts';
import { Device, DeviceList, DevicesQuery } from './device.ts';
import { DeviceImport, DeviceImportQuery, deviceColumns, ImportAnswer } from './import.ts';
import { DevicePatch, RemovalQuery } from './registry.ts';
import { UploadAddress, UploadRequest } from './upload.ts';
import { DeviceWhy } from './why.ts';

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
  importDevices: {
    method: 'put',
    path: '/v1/devices',
    scope: 'devices:write',
    summary:
      'Register up to 500 devices, or change what people set on them. Absent members do not change, null clears; repeating a request changes nothing.',
    query: DeviceImportQuery,
    body: DeviceImport,
    maxBodyBytes: 1024 * 1024,
    columns: deviceColumns,
    answer: ImportAnswer,
  },
  getDevice: {
    method: 'get',
    path: '/v1/devices/{deviceId}',
    scope: 'devices:read',
    summary: 'Read one device.',
    answer: Device,
  },
  explainDevice: {
    method: 'get',
    path: '/v1/devices/{deviceId}/why',
    scope: 'devices:read',
    summary:
      'Say in one sentence why a device is silent, with the evidence: its connection, and its neighbours at each of its places.',
    answer: DeviceWhy,
  },
  changeDevice: {
    method: 'patch',
    path: '/v1/devices/{deviceId}',
    scope: 'devices:write',
    summary:
      'Set the name, places and reporting of a device, or move it to another group together with its open alerts.',
    body: DevicePatch,
    answer: Device,
  },
  removeDevice: {
    method: 'delete',
    path: '/v1/devices/{deviceId}',
    scope: 'devices:write',
    summary:
      'Decommission a device: its open alerts end as `deleted`. A later report registers it again, except with `erase=true`, which also erases its records (`settings:write`, all groups).',
    query: RemovalQuery,
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
    summary: "End the enrolment of the device's guardian: its unsigned messages are accepted again.",
    answer: null,
    status: 204,
  },
  createUploadUrl: {
    method: 'post',
    path: '/v1/devices/{deviceId}/upload-urls',
    scope: 'devices:write',
    summary: 'Create an address for uploading one frame of the device within 15 minutes.',
    body: UploadRequest,
    answer: UploadAddress,
    status: 201,
  },
  listDeviceActivity: {
    method: 'get',
    path: '/v1/devices/{deviceId}/activity',
    scope: 'devices:read',
    summary: 'List the activity of a device and its alerts, newest first.',
    query: ActivityQuery,
    answer: ActivityList,
  },
} as const satisfies Routes;
