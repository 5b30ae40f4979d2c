import { randomUUID } from 'node:crypto';
import type { EventReport } from '../../shared/schema/device/report.ts';
import type { Camera } from './camera.ts';
import { calm } from './camera-state.ts';

/** A misbehaviour: how it begins, how long it lasts in seconds of the simulated world, and how it ends. */
export type Episode = {
  name: string;
  lastsSeconds: number;
  begin(camera: Camera, at: string): Promise<unknown>;
  end?(camera: Camera, at: string): Promise<unknown>;
};

const change = (camera: Camera, readings: Partial<Camera['state']>) => {
  Object.assign(camera.state, readings);
  return camera.sendStatus();
};
const event = (camera: Camera, body: EventReport) => camera.send('event', body);

/**
 * The episodes that the cameras of the fleet go through in turn. Their readings pass the thresholds in
 * `shared/domain/limits.ts`.
 */
export const episodes: readonly Episode[] = [
  {
    name: 'memory high',
    lastsSeconds: 90,
    begin: (camera) => change(camera, { memoryUsedPercent: 86 }),
    end: (camera) => change(camera, { memoryUsedPercent: calm.memoryUsedPercent }),
  },
  {
    name: 'slow network',
    lastsSeconds: 120,
    begin: (camera) => change(camera, { latencyMs: 800 }),
    end: (camera) => change(camera, { latencyMs: calm.latencyMs }),
  },
  {
    name: 'storage low',
    lastsSeconds: 180,
    begin: (camera) => change(camera, { freeMegabytes: 50 }),
    end: (camera) => change(camera, { freeMegabytes: calm.freeMegabytes }),
  },
  {
    name: 'somebody turns off the check of the broker’s certificate',
    lastsSeconds: 0,
    // The camera's guardian heals it.
    begin: async (camera) => camera.management?.tamper('tls.validateServerCert', false),
  },
  {
    name: 'gone',
    lastsSeconds: 420,
    begin: (camera) => camera.leave('abruptly'),
    end: (camera) => camera.connect(),
  },
  {
    name: 'person at the gate',
    lastsSeconds: 0,
    begin: (camera, at) => camera.send('detection', detectionOf(camera, at)),
  },
  {
    name: 'memory critical',
    lastsSeconds: 150,
    begin: (camera) => change(camera, { memoryUsedPercent: 94 }),
    end: (camera) => change(camera, { memoryUsedPercent: calm.memoryUsedPercent }),
  },
  {
    name: 'configuration updated',
    lastsSeconds: 0,
    begin: (camera, at) => event(camera, { type: 'config_updated', timestamp: at }),
  },
  {
    name: 'certificate runs out',
    lastsSeconds: 600,
    begin: (camera) => change(camera, { certificateDaysLeft: 3 }),
    end: (camera) => change(camera, { certificateDaysLeft: calm.certificateDaysLeft }),
  },
  {
    name: 'wrong passwords',
    lastsSeconds: 0,
    begin: (camera) => change(camera, { failedAttempts: 6 }),
  },
  {
    name: 'switched off for a while',
    lastsSeconds: 60,
    begin: (camera) => camera.leave('politely'),
    end: (camera) => camera.connect(),
  },
];

function detectionOf({ deviceId }: Camera, timestamp: string) {
  const id = randomUUID();
  return {
    timestamp,
    profile: { id: 'perimeter', name: 'Perimeter' },
    skill: { id: 'people', name: 'People' },
    session: { id, url: `https://watchpost.example/sessions/${id}` },
    analysis: {
      objects: [
        {
          name: 'person',
          detected: true,
          confidence: 0.93,
          boundingBox: { x: 0.31, y: 0.22, width: 0.12, height: 0.4 },
        },
      ],
      questions: [{ id: 1, name: 'helmet', text: 'Does the person wear a helmet?', answer: false, type: 'bool' }],
      summary: `One person without a helmet, seen by ${deviceId}`,
    },
    imageUrl: `https://watchpost.example/frames/${id}.jpg`,
  };
}
