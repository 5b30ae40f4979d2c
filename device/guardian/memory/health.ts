import { renameSync, writeFileSync } from 'node:fs';
import type { DriftSeverity } from '../../../shared/schema/vocabulary.ts';
import type { FieldName } from '../decide/fields.ts';

export type LastCheck =
  | { outcome: 'failed'; reason: string; durationMs: number }
  | {
      outcome: 'matches' | 'differs';
      differing: { name: FieldName; severity: DriftSeverity }[];
      isConnected: boolean;
      durationMs: number;
    };

/** How the guardian itself is. `checkedAt` older than two intervals means that it does not run. */
export type Health = {
  status: 'starting' | 'no-golden' | 'blind' | 'golden' | 'drifted' | 'conflict';
  /** Instant at which the last look began, ISO 8601. */
  checkedAt: string | null;
  lastCheck: LastCheck | null;
  /** Drifts and heals since the start of the process. */
  driftCount: number;
  healCount: number;
  openDrift: readonly FieldName[];
  goldenGeneration: number | null;
  /** Why the last golden configuration that was offered is not in force. */
  goldenRefused: string | null;
  /** Alerts that found the queue full. */
  droppedAlerts: number;
};

/** What the health file holds: the guardian's health, and that of its queue. */
export type HealthReport = Health & { queueLength: number; lastPublishedAt: string | null; intervalSeconds: number };

/** Replaces the health file in one step, so that a reader never sees half of it. */
export function writeHealth(path: string, report: HealthReport): void {
  writeFileSync(`${path}.tmp`, `${JSON.stringify(report, null, 2)}\n`);
  renameSync(`${path}.tmp`, path);
}
