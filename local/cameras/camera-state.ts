import { randomUUID } from 'node:crypto';
import type { StatusReport } from '../../shared/schema/device/report.ts';

/** The measurements of a simulated camera. Commands and episodes change them. */
export type CameraState = {
  memoryUsedPercent: number;
  latencyMs: number;
  freeMegabytes: number;
  certificateDaysLeft: number;
  failedAttempts: number;
  reconnectAttempts: number;
  connectedAt: string | null;
  readonly bootId: string;
  readonly bootedAt: number;
  seq: number;
};

/** Readings that raise no alert. */
export const calm = { memoryUsedPercent: 55, latencyMs: 40, freeMegabytes: 4000, certificateDaysLeft: 300 } as const;

export const simulatedModel = 'SIM-1';

export function serialOf(deviceId: string): string {
  return `SIM${deviceId.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}`;
}

type World = { deviceId: string; groupId: string; name: string; timeScale: number; now(): number; random(): number };

const dayMs = 86_400_000;

/** A camera that has just booted. `now` is epoch milliseconds. */
export function freshState(now: number, random: () => number): CameraState {
  return {
    memoryUsedPercent: calm.memoryUsedPercent + Math.round(random() * 10),
    latencyMs: calm.latencyMs + Math.round(random() * 30),
    freeMegabytes: calm.freeMegabytes + Math.round(random() * 2000),
    certificateDaysLeft: calm.certificateDaysLeft,
    failedAttempts: 0,
    reconnectAttempts: 0,
    connectedAt: null,
    bootId: randomUUID(),
    bootedAt: now,
    seq: 0,
  };
}

/** The next status report. Readings vary slightly, but too little to cross a threshold by themselves. */
export function statusBody(
  state: CameraState,
  { deviceId, groupId, name, timeScale, now, random }: World,
): StatusReport {
  state.seq += 1;
  const at = now();
  const tremble = (value: number, by: number) => Math.max(0, Math.round((value + (random() - 0.5) * by) * 10) / 10);
  const { failedAttempts } = state;
  // Failures are counted in a window and reported once.
  state.failedAttempts = 0;
  return {
    timestamp: new Date(at).toISOString(),
    bootId: state.bootId,
    seq: state.seq,
    groupId,
    name,
    model: simulatedModel,
    serial: serialOf(deviceId),
    firmware: '1.4.2',
    ip: '127.0.0.1',
    uptimeSeconds: Math.round((at - state.bootedAt) / 1000),
    mqtt: {
      brokerHost: '127.0.0.1',
      latencyMs: tremble(state.latencyMs, 4),
      reconnectAttempts: state.reconnectAttempts,
      ...(state.connectedAt ? { lastConnected: state.connectedAt } : {}),
    },
    certificate: {
      valid: true,
      notAfter: new Date(at + (state.certificateDaysLeft * dayMs) / timeScale).toISOString(),
    },
    ...(failedAttempts > 0 ? { auth: { failedAttempts, windowSeconds: 600 } } : {}),
    memory: { usedPercent: Math.min(100, tremble(state.memoryUsedPercent, 1)) },
    storage: { freeMegabytes: tremble(state.freeMegabytes, 4) },
  };
}
