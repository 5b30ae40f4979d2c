import type { Condition } from '../conditions.ts';
import { thresholds } from '../limits.ts';
import { latestReading, levelOf } from '../measure.ts';
import { connectivityContext } from './context.ts';

export const connectivityConditions: readonly Condition[] = [
  {
    code: 'CONN_003',
    measure: 'latency',
    holds: (device) => {
      const reading = latestReading(device.measures.latency);
      if (!reading || levelOf('latency', device.measures.latency) === 'normal') return null;
      return {
        message: `Network latency at ${reading.value} ms, limit ${thresholds.latencyHigh.above} ms`,
        context: { ...connectivityContext(device), latencyMs: reading.value },
      };
    },
  },
];
