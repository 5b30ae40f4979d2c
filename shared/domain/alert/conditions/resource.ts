import type { Device } from '../../device/device.ts';
import { type Level, latestReading, levelOf } from '../../device/measure.ts';
import { thresholds } from '../../limits.ts';
import type { Condition, Finding } from './condition.ts';

export const resourceConditions: readonly Condition[] = [
  {
    code: 'RES_001',
    fact: 'memory',
    holds: (device) => memoryAt('critical', device, thresholds.memoryCritical.above),
  },
  {
    code: 'RES_002',
    fact: 'memory',
    holds: (device) => memoryAt('high', device, thresholds.memoryHigh.above),
    supersededBy: 'RES_001',
  },
  {
    code: 'RES_003',
    fact: 'storage',
    holds: (device) => {
      const reading = latestReading(device.measures.storage);
      if (!reading || levelOf('storage', device.measures.storage) === 'normal') return null;
      const limit = thresholds.storageLow.under;
      return {
        message: `Free storage at ${reading.value} MB, limit ${limit} MB`,
        context: { storageFreeMegabytes: reading.value, thresholdMegabytes: limit },
        marks: thresholds.worse.storage.filter((step) => reading.value <= step).map((step) => `at ${step} MB or less`),
      };
    },
  },
];

function memoryAt(level: Level, device: Device, limit: number): Finding | null {
  const reading = latestReading(device.measures.memory);
  if (!reading || levelOf('memory', device.measures.memory) !== level) return null;
  return {
    message: `Memory at ${reading.value} %, limit ${limit} %`,
    context: { memoryUsedPercent: reading.value, thresholdPercent: limit },
    marks: thresholds.worse.memory.filter((step) => reading.value >= step).map((step) => `at ${step} % or more`),
  };
}
