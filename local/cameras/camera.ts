import type { ConnectionReport } from '../../shared/schema/device/report.ts';
import type { ReportKind } from '../../shared/schema/vocabulary.ts';
import { type Broker, createLink, type Link } from './camera-link.ts';
import { type CameraState, freshState, statusBody } from './camera-state.ts';
import type { VapixServer } from './device/vapix-server.ts';

export type CameraOptions = {
  broker: Broker;
  deviceId: string;
  groupId: string;
  name: string;
  /** Time between status reports, in milliseconds. */
  periodMs: number;
  /** A day of the simulated world lasts a day divided by this. */
  timeScale: number;
  /** Epoch milliseconds, and a number from 0 to 1. */
  now(): number;
  random(): number;
  /** Called with each message that the broker has accepted. */
  onSent?(topic: string, body: unknown): void;
  /** Called before each attempt to connect again. */
  onRetry?(): void;
  /** Its management interface, where it has one. */
  management?: VapixServer;
};

/** One simulated camera: a real MQTT client with a last will. */
export type Camera = {
  readonly deviceId: string;
  readonly state: CameraState;
  readonly management: VapixServer | null;
  /**
   * Connects, announces itself, reports at its period, and reconnects when the connection is lost. @throws Error when the broker cannot be
   * reached now; it tries again until it is, or until `leave` or `stop`
   */
  connect(): Promise<void>;
  isConnected(): boolean;
  /**
   * Says whether the camera's configuration names the stack's broker. While it does not, the camera stays disconnected.
   */
  aim(isAimed: boolean): void;
  /** Sends now. Without a connection nothing is sent and the result is false. */
  sendStatus(): Promise<boolean>;
  send(kind: ReportKind, body: unknown): Promise<boolean>;
  /**
   * Reports that it goes offline and disconnects, or drops the connection so that the broker sends the last will. It
   * does not reconnect.
   */
  leave(how: 'politely' | 'abruptly'): Promise<void>;
  /** Stops without a last will or any other message. */
  stop(): Promise<void>;
};

/** A camera that connects only on request. */
export function createCamera(options: CameraOptions): Camera {
  const { deviceId, now, random } = options;
  const state = freshState(now(), random);
  const topicOf = (kind: ReportKind) => `devices/${deviceId}/${kind}`;
  let timer: NodeJS.Timeout | undefined;

  const send = async (kind: ReportKind, body: unknown) => {
    const isSent = await link.publish(topicOf(kind), body);
    if (isSent) options.onSent?.(topicOf(kind), body);
    return isSent;
  };
  const sendStatus = async () => link.isUp() && (await send('status', statusBody(state, options)));
  const beat = () => {
    // A report that the broker does not acknowledge is lost. The next one has the current readings.
    sendStatus().catch(() => {});
    timer = setTimeout(beat, options.periodMs * (0.95 + random() * 0.1));
  };
  const link = createLink({
    broker: options.broker,
    clientId: deviceId,
    now,
    random,
    will: (connectedAt) => ({
      topic: topicOf('connection'),
      body: connection('offline', connectedAt, 'connection lost'),
    }),
    onUp(connectedAt) {
      state.connectedAt = connectedAt;
      const birth = { ...connection('online', connectedAt), timestamp: connectedAt };
      send('connection', birth).then(beat, () => {});
    },
    onDown: () => clearTimeout(timer),
    onRetry() {
      state.reconnectAttempts += 1;
      options.onRetry?.();
    },
  });
  const power = createPower(link);

  return {
    deviceId,
    state,
    management: options.management ?? null,
    connect: power.on,
    isConnected: link.isUp,
    aim: power.aim,
    sendStatus,
    send,
    async leave(how) {
      power.off();
      const farewell = connection('offline', state.connectedAt, 'switched off');
      if (how === 'politely') await send('connection', { ...farewell, timestamp: new Date(now()).toISOString() });
      await link.leave(how);
    },
    stop() {
      power.off();
      return link.leave('politely');
    },
  };
}

function connection(status: ConnectionReport['status'], connectedAt: string | null, reason?: string): ConnectionReport {
  return { status, ...(connectedAt ? { connectedAt } : {}), ...(reason ? { reason } : {}) };
}

/** A camera is connected while it is switched on and its configuration names the broker. */
function createPower(link: Link) {
  let isOn = false;
  let isAimed = true;
  return {
    async on() {
      isOn = true;
      if (isAimed) await link.connect();
    },
    off() {
      isOn = false;
    },
    aim(next: boolean) {
      if (next === isAimed) return;
      isAimed = next;
      if (isOn && isAimed) link.rejoin();
      else if (isOn) void link.leave('abruptly');
    },
  };
}
