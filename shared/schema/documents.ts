import type { TSchema } from 'typebox';
import { DeviceAlert } from './alert/alert.ts';
import { Detection, DetectionReport } from './detection/detection.ts';
import { ImportedDevice } from './device/import.ts';
import { ConnectionReport, EventReport, StatusReport } from './device/report.ts';
import { GuardianEnvelope, GuardianHealth } from './guardian/envelope.ts';
import { GuardianAlert } from './guardian/guardian-alert.ts';
import { HealthResponse, ReadinessResponse } from './probe/probe.ts';
import { Problem } from './problem.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import { AlertRule } from './settings/rule.ts';
import { WebhookConfiguration, WebhookFilter } from './webhook/webhook.ts';

/** The schemas with names of their own: they are published as JSON Schema files, and tests check examples with them. */
export const namedSchemas = {
  DeviceAlert,
  GuardianAlert,
  GuardianEnvelope,
  GuardianHealth,
  HealthResponse,
  ReadinessResponse,
  Detection,
  DetectionReport,
  WebhookConfiguration,
  WebhookFilter,
  AlertRule,
  ImportedDevice,
  StatusReport,
  ConnectionReport,
  EventReport,
  Problem,
} satisfies Record<string, TSchema>;

/**
 * The schemas that validate requests, named `<operation>Query` and `<operation>Body`. Query text is converted to the types of its schema.
 */
export function requestSchemas(part: 'query' | 'body'): Record<string, TSchema> {
  const suffix = part === 'query' ? 'Query' : 'Body';
  return Object.fromEntries(
    Object.entries(routes as Record<string, Route>).flatMap(([operation, route]) => {
      const schema = route[part];
      return schema ? [[operation + suffix, schema]] : [];
    }),
  );
}
