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

/** The guardian's own health. When `checkedAt` is older than two intervals, the guardian is not running. */
export type Health = {
  status: 'starting' | 'no-golden' | 'blind' | 'golden' | 'drifted' | 'conflict';
  /** When the last check began, ISO 8601. */
  checkedAt: string | null;
  lastCheck: LastCheck | null;
  /** Drifts and heals since the start of the process. */
  driftCount: number;
  healCount: number;
  openDrift: readonly FieldName[];
  goldenGeneration: number | null;
  /** Why the last offered golden configuration is not used. */
  goldenRefused: string | null;
  /** Alerts that were lost because the queue, or the memory that replaces a failing disk, was full. */
  droppedAlerts: number;
};

/** The content of the health file: the health of the guardian and of its queue. */
export type HealthReport = Health & { queueLength: number; lastPublishedAt: string | null; intervalSeconds: number };

/** Replaces the health file in one step, so that a reader never sees half of it. */
export function writeHealth(path: string, report: HealthReport): void {
  writeFileSync(`${path}.tmp`, `${JSON.stringify(report, null, 2)}\n`);
  renameSync(`${path}.tmp`, path);
}
