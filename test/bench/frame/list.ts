import type { Size } from './row.ts';

/** A file of benches, its rows and its sizes. A bench that needs a build, the stack or minutes has no `tiny`. */
export type Listed = { file: string; ids: string[]; sizes: Size[]; timeoutSeconds: number };

/** Every bench, in the order in which they run: one process each, one after the other. */
export const benches: Listed[] = [
  { file: 'costs', ids: ['P1', 'P2', 'N6'], sizes: ['tiny', 'quick', 'full'], timeoutSeconds: 120 },
  { file: 'reports', ids: ['N1'], sizes: ['tiny', 'quick', 'full'], timeoutSeconds: 900 },
  { file: 'deliveries', ids: ['N5'], sizes: ['tiny', 'quick', 'full'], timeoutSeconds: 1200 },
  { file: 'api', ids: ['N7', 'P12', 'P13'], sizes: ['tiny', 'quick', 'full'], timeoutSeconds: 1800 },
  { file: 'stream', ids: ['N10'], sizes: ['tiny', 'quick', 'full'], timeoutSeconds: 600 },
  { file: 'cold-start', ids: ['P5', 'N11'], sizes: ['quick', 'full'], timeoutSeconds: 900 },
  { file: 'delivery-rate', ids: ['N9'], sizes: ['tiny', 'full'], timeoutSeconds: 900 },
  { file: 'delivery-latency', ids: ['P8'], sizes: ['tiny', 'quick', 'full'], timeoutSeconds: 600 },
  { file: 'hanging-endpoints', ids: ['P9'], sizes: ['quick', 'full'], timeoutSeconds: 1800 },
  { file: 'signing', ids: ['P10'], sizes: ['tiny', 'quick', 'full'], timeoutSeconds: 120 },
  { file: 'tokens', ids: ['P11'], sizes: ['tiny', 'quick', 'full'], timeoutSeconds: 120 },
  { file: 'storm', ids: ['P15', 'P17'], sizes: ['tiny', 'quick', 'full'], timeoutSeconds: 900 },
  { file: 'walls', ids: ['P16', 'N8'], sizes: ['tiny', 'quick', 'full'], timeoutSeconds: 900 },
  { file: 'lateness', ids: ['P15'], sizes: ['full'], timeoutSeconds: 600 },
  { file: 'stack', ids: ['P4', 'P8', 'P9'], sizes: ['full'], timeoutSeconds: 900 },
  { file: 'sizes', ids: ['P14'], sizes: ['quick', 'full'], timeoutSeconds: 180 },
];
