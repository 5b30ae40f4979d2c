import type { Message } from '../../../shared/domain/intake/pushed.ts';
import { detection } from '../../support/records/detections.ts';
import { message } from '../../support/records/reports.ts';

/** A system that carries events from a sender to a receiver: ours, or a peer. */
export type Way = {
  name: string;
  /** What it lacks compared with ours, or how it was set up. */
  about: string;
  /** Accepts an event for an endpoint. Settles when the event is stored, with its deliveries in the outbox. */
  accept(event: string, endpoint: string): Promise<void>;
  /** The number of deliveries that are not finished. A cheap call. */
  onTheWay(): Promise<number>;
  /** The outcomes of all accepted events, by its own records. */
  ledger(): Promise<Ledger>;
  /** CPU of its processes beside this one, in milliseconds since their start. */
  othersCpuMs(): number;
  stop(): Promise<void>;
};

/** Every accepted event counts in one of these. `waiting`: due for a first attempt or a retry. */
export type Ledger = { delivered: number; failed: number; held: number; waiting: number };

/** Where events go: one receiver whose paths are the endpoints. */
export type Target = {
  port: number;
  certificate: string;
  certificateFile: string;
  endpoints: string[];
  timeoutSeconds: number;
};

/** The largest number of requests in flight, which each peer is configured with. */
export const concurrency = 50;

/** A body like a detection's, about 1 KB, that names its event. */
export function bodyOf(event: string, endpoint: string): object {
  return { eventType: 'detection', session: { id: event }, endpoint, text: 'x'.repeat(900) };
}

/** Enough that two events of one camera are rarely handled at the same time. */
const cameras = 500;
let detections = 0;

/** The message of a camera whose detection only the endpoint of this name wants. */
export function detectionOf(event: string, endpoint: string): Message {
  detections += 1;
  const publishTime = new Date().toISOString();
  const report = detection(event, { timestamp: publishTime });
  for (const object of report.analysis.objects) object.name = endpoint;
  return message('detection', report, { deviceId: `cam-${detections % cameras}`, publishTime });
}
