import type { Operation, routes } from '../../schema/routes.ts';
import type { WritableKind } from './may-write.ts';

/** Operations that may change something. */
export type WritingOperation = {
  [Op in Operation]: (typeof routes)[Op]['method'] extends 'get' ? never : Op;
}[Operation];

/**
 * The kind of record that each writing operation is about. A new writing route does not compile before it is here. Null: it takes a body, and
 * changes nothing.
 */
export const subjects: Record<WritingOperation, WritableKind | null> = {
  acknowledgeAlert: 'alerts',
  resolveAlert: 'alerts',
  snoozeAlert: 'alerts',
  unacknowledgeAlert: 'alerts',
  unsnoozeAlert: 'alerts',
  addAlertNote: 'alerts',
  reopenAlert: 'alerts',
  actOnAlerts: 'alerts',
  acknowledgeIncident: 'incidents',
  resolveIncident: 'incidents',
  snoozeIncident: 'incidents',
  unacknowledgeIncident: 'incidents',
  unsnoozeIncident: 'incidents',
  addIncidentNote: 'incidents',
  reopenIncident: 'incidents',
  importDevices: 'devices',
  changeDevice: 'devices',
  removeDevice: 'devices',
  enrolGuardian: 'devices',
  endGuardianEnrolment: 'devices',
  createUploadUrl: 'devices',
  putPlace: 'places',
  deletePlace: 'places',
  createRule: 'rules',
  putRule: 'rules',
  deleteRule: 'rules',
  previewRule: null,
  // The schedules of who is on call are members of a team.
  putTeam: 'teams',
  deleteTeam: 'teams',
  testTeam: 'deliveries',
  putSettings: 'settings',
  createMaintenanceWindow: 'windows',
  putMaintenanceWindow: 'windows',
  deleteMaintenanceWindow: 'windows',
  previewMaintenanceWindow: null,
  createReportSchedule: 'reportSchedules',
  putReportSchedule: 'reportSchedules',
  deleteReportSchedule: 'reportSchedules',
  createWebhook: 'webhooks',
  updateWebhook: 'webhooks',
  deleteWebhook: 'webhooks',
  challengeWebhook: 'webhooks',
  proveWebhook: 'webhooks',
  rotateWebhookSecret: 'webhooks',
  promoteWebhookSecret: 'webhooks',
  explainWebhook: null,
  testWebhook: 'deliveries',
  replayWebhook: 'deliveries',
  redeliver: 'deliveries',
  dismissDelivery: 'deliveries',
  restoreDelivery: 'deliveries',
  retryQuarantined: 'quarantine',
  dismissQuarantined: 'quarantine',
  restoreQuarantined: 'quarantine',
  retryManyQuarantined: 'jobs',
  actOnMatchingAlerts: 'jobs',
  startErasure: 'jobs',
  cancelJob: 'jobs',
  removeBridge: 'platform',
};

/** The kind of record that an operation is about. Null: it changes nothing. */
export function subjectOf(operation: Operation): WritableKind | null {
  return (subjects as Partial<Record<Operation, WritableKind | null>>)[operation] ?? null;
}
