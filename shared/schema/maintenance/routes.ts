import type { Routes } from '../route.ts';
import {
  MaintenancePreview,
  MaintenancePreviewRequest,
  MaintenanceWindow,
  MaintenanceWindowInput,
  MaintenanceWindowList,
  MaintenanceWindowQuery,
} from './window.ts';

/** Maintenance windows: planned periods in which alerts are silenced. */
export const maintenanceRoutes = {
  listMaintenanceWindows: {
    method: 'get',
    path: '/v1/maintenance-windows',
    scope: 'settings:read',
    summary: 'List maintenance windows, newest first.',
    query: MaintenanceWindowQuery,
    answer: MaintenanceWindowList,
  },
  createMaintenanceWindow: {
    method: 'post',
    path: '/v1/maintenance-windows',
    scope: 'settings:write',
    isOfGroups: true,
    summary: 'Plan a maintenance window.',
    body: MaintenanceWindowInput,
    answer: MaintenanceWindow,
    status: 201,
    refusals: ['quota-exceeded'],
    isVersioned: true,
  },
  previewMaintenanceWindow: {
    method: 'post',
    path: '/v1/maintenance-windows/preview',
    scope: 'settings:read',
    summary: 'Preview the alerts that a maintenance window would have silenced.',
    body: MaintenancePreviewRequest,
    answer: MaintenancePreview,
  },
  getMaintenanceWindow: {
    method: 'get',
    path: '/v1/maintenance-windows/{windowId}',
    scope: 'settings:read',
    summary: 'Read a maintenance window.',
    answer: MaintenanceWindow,
    isVersioned: true,
  },
  putMaintenanceWindow: {
    method: 'put',
    path: '/v1/maintenance-windows/{windowId}',
    scope: 'settings:write',
    isOfGroups: true,
    summary: 'Replace a maintenance window.',
    body: MaintenanceWindowInput,
    answer: MaintenanceWindow,
    refusals: ['precondition-failed', 'quota-exceeded'],
    isVersioned: true,
  },
  deleteMaintenanceWindow: {
    method: 'delete',
    path: '/v1/maintenance-windows/{windowId}',
    scope: 'settings:write',
    isOfGroups: true,
    summary: 'End a maintenance window for good.',
    answer: null,
    refusals: ['precondition-failed'],
  },
} as const satisfies Routes;
