/**
 * The amounts of a month. `alerts` are conditions that begin and end; `endpoints` is the number of endpoints that get each detection; `framesKib` 0:
 * no frames.
 */
export type Amounts = {
  devices: number;
  detections: number;
  alerts: number;
  endpoints: number;
  /** Consoles that are open all the time, each with its stream. */
  tabs: number;
  /** Size of the frame of each detection in our bucket. It is stored for 30 days and read once. */
  framesKib: number;
  /** Addresses of the external watchdog. */
  heartbeats: number;
  /** Our bridge packs reports (`bridge/forward/packer.ts`). */
  isPacked?: boolean;
  environment: 'dev' | 'production';
};

export type Part = { part: string; amount: string; dollars: number };

export const hoursPerMonth = 730;
/** GiB per KiB. */
export const kib = 1 / 1024 ** 2;
