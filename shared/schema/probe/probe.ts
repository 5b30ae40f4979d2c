import Type, { type Static } from 'typebox';
import { closed, Nullable, OneOf, Timestamp } from '../common.ts';

export const CheckResult = Type.Object(
  {
    status: OneOf(['healthy', 'unhealthy']),
    latency_ms: Nullable(Type.Integer({ minimum: 0, description: 'Milliseconds; null when the check failed.' })),
    error: Type.Optional(Type.String()),
  },
  closed,
);
export type CheckResult = Static<typeof CheckResult>;

export const HealthResponse = Type.Object(
  {
    status: OneOf(['healthy', 'unhealthy']),
    timestamp: Timestamp,
    version: Type.String(),
    uptime: Type.Optional(Type.Integer({ minimum: 0, description: 'Seconds since the service started.' })),
    error: Type.Optional(Type.String()),
  },
  closed,
);
export type HealthResponse = Static<typeof HealthResponse>;

export const ReadinessResponse = Type.Object(
  {
    status: OneOf(['ready', 'not_ready']),
    timestamp: Timestamp,
    version: Type.String(),
    checks: Type.Object({ database: CheckResult, mqtt: CheckResult, storage: CheckResult, auth: CheckResult }, closed),
  },
  closed,
);
export type ReadinessResponse = Static<typeof ReadinessResponse>;
