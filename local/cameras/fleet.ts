import { createLog, type Log } from '../../device/guardian/process/log.ts';
import { type Camera, type CameraOptions, createCamera } from './camera.ts';
import type { Broker } from './camera-link.ts';
import type { ServiceAddress } from './enrolment.ts';
import { type Episode, episodes } from './episodes.ts';
import { createGuardedCamera } from './guarded-camera.ts';

export type FleetConfig = {
  broker: Broker;
  /** The folder for the files of the cameras' guardians. */
  guardianFolder: string;
  /** The service at which guardians are enrolled. Null: they have no keys. */
  service: ServiceAddress | null;
  cameras: number;
  /** Time between status reports, in seconds of the simulated world. */
  periodSeconds: number;
  timeScale: number;
};

const groups = ['north', 'east', 'south'];
/** Seconds of the simulated world before the first misbehaviour, and from one to the next. */
const firstEpisodeSeconds = 3;
const episodeSeconds = 20;
/** Minimum length of a period or a pause, even in a fast simulated world. */
const shortestMs = 100;
const connectAtOnce = 50;
/** Cameras with a management interface and a guardian. This number is enough for a demonstration, and a large fleet stays cheap. */
const guardedCameras = 50;

/** A fleet of cameras that misbehave in turn, so that the console has something to show. */
export async function startFleet(config: FleetConfig): Promise<{ stop(): Promise<void> }> {
  const inMs = (seconds: number) => Math.max(shortestMs, (seconds * 1000) / config.timeScale);
  const cameras = await Promise.all(
    Array.from({ length: config.cameras }, (_unused, index) => cameraOf(config, index, inMs(config.periodSeconds))),
  );
  for (let from = 0; from < cameras.length; from += connectAtOnce) {
    await Promise.all(cameras.slice(from, from + connectAtOnce).map(({ connect }) => connect()));
  }
  const play = misbehave(cameras, inMs);
  return {
    async stop() {
      play.stop();
      await Promise.all(cameras.map(({ stop }) => stop()));
    },
  };
}

async function cameraOf(config: FleetConfig, index: number, periodMs: number): Promise<Camera> {
  const number = String(index + 1).padStart(3, '0');
  const groupId = groups[index % groups.length] ?? 'north';
  const options: CameraOptions = {
    broker: config.broker,
    deviceId: `cam-${number}`,
    groupId,
    name: `Camera ${number}, ${groupId}`,
    periodMs,
    timeScale: config.timeScale,
    now: Date.now,
    random: Math.random,
  };
  if (index >= guardedCameras) return createCamera(options);
  const { service, guardianFolder: folder } = config;
  const guardian = { folder, service, isRunning: true, log: logOf(options.deviceId) };
  return createGuardedCamera(options, guardian);
}

/** Prints a guardian's log without uneventful checks. */
function logOf(deviceId: string): Log {
  const log = createLog(
    (line) => process.stdout.write(line),
    () => new Date().toISOString(),
    { deviceId },
  );
  return (event, members, severity) => {
    if (event !== 'check.ended' || severity !== 'INFO') log(event, members, severity);
  };
}

function misbehave(cameras: Camera[], inMs: (seconds: number) => number): { stop(): void } {
  const timers = new Set<NodeJS.Timeout>();
  const busy = new Set<Camera>();
  const after = (ms: number, act: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, ms);
    timers.add(timer);
  };
  const act = (camera: Camera, step: Episode['begin'] | undefined) =>
    step?.(camera, new Date().toISOString()).catch((error: Error) =>
      console.error(`${camera.deviceId}: ${error.message}`),
    );
  const next = (turn: number) => {
    const camera = cameras[turn % cameras.length];
    const episode = episodes[turn % episodes.length];
    if (camera && episode && !busy.has(camera)) {
      busy.add(camera);
      console.log(`${camera.deviceId}: ${episode.name}`);
      void act(camera, episode.begin);
      after(inMs(episode.lastsSeconds), () => {
        busy.delete(camera);
        void act(camera, episode.end);
      });
    }
    after(inMs(episodeSeconds), () => next(turn + 1));
  };
  if (cameras.length > 0) after(inMs(firstEpisodeSeconds), () => next(0));
  return { stop: () => timers.forEach(clearTimeout) };
}
