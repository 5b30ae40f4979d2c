import type { Message } from '../../../shared/domain/intake/pushed.ts';
import { plus } from '../../../shared/domain/time.ts';
import { startOfTests } from '../world/world.ts';
import { message } from './reports.ts';

/** The status reports of a quiet fleet: one per minute and device, with varying readings. */
export function* unchangedReports(devices: number, minutes: number, from = startOfTests): Generator<Message> {
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let device = 0; device < devices; device += 1) {
      const publishTime = plus(from, minute * 60_000 + device * 100);
      const body = {
        timestamp: publishTime,
        bootId: 'b',
        seq: minute,
        name: 'Gate',
        memory: { usedPercent: 40 + ((minute + device) % 20) },
        storage: { freeMegabytes: 900 - minute },
        mqtt: { latencyMs: 20 + (minute % 7), brokerHost: 'broker.example' },
        certificate: { valid: true, notAfter: plus(from, 90 * 86_400_000) },
        auth: { failedAttempts: 0 },
      };
      yield message('status', body, { deviceId: `cam-${device}`, publishTime });
    }
  }
}
