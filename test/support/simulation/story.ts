import { detection } from '../records/detections.ts';
import { guardianAlert } from '../records/stories.ts';
import type { Random } from './instances.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** A loss that lasts this long must be noticed before its end, in any weather. */
export const longGap = 25 * minute;

/** One message of a device. `isPoison`: not readable at all; `fault`: one unreadable section; `isRetained`: retained by a broker. */
export type Saying = {
  at: number;
  deviceId: string;
  kind: string;
  body: unknown;
  isPoison: boolean;
  fault?: 'memory' | 'latency' | 'storage';
  isRetained?: boolean;
};

/** How a device ends: still reporting, silent, or with its connection lost. */
export type Fate = 'lives' | 'falls-silent' | 'is-lost';
export type Camera = { deviceId: string; groupId: string; fate: Fate; final: Final };
/** The content of each device's last report. */
export type Final = { memory: number; storage: number; latency: number; isCertified: boolean };

export type Story = { cameras: Camera[]; sayings: Saying[]; from: number; endsAt: number; settledAt: number };

/** How long a fleet continues to report after its story, and the longest time between two reports of a camera. */
const settling = 150 * minute;
const longestPeriod = 6 * minute;

/** The messages of a fleet: about `events` of them, then reports for as long as all consequences need. */
export function tellStory(random: Random, from: number, events: number): Story {
  const size = Math.max(6, Math.round(events / 100));
  const share = Math.floor(events / size);
  const cameras = Array.from({ length: size }, (_, index): Camera => {
    const fate = index % 24 === 5 ? 'falls-silent' : index % 24 === 17 ? 'is-lost' : 'lives';
    return { deviceId: `cam-${index + 1}`, groupId: random.pick(['north', 'south']), fate, final: finalOf(random) };
  });
  const notified = cameras.map((camera, index) => ({
    camera,
    ...tellLife(random, camera, from, share + (index < events % size ? 1 : 0)),
  }));
  const endsAt = Math.max(...notified.flatMap(({ sayings }) => sayings.map(({ at }) => at)));
  const settledAt = endsAt + settling;
  // A small fleet reports more often, because the platform would count as blind if no message came for minutes.
  const period = Math.min(longestPeriod, size * 30 * second);
  const after = notified.flatMap(({ camera, reportOf }) =>
    camera.fate === 'lives' ? tellRest(random, camera, reportOf, { from: endsAt, until: settledAt, period }) : [],
  );
  const sayings = [...notified.flatMap((each) => each.sayings), ...after].toSorted((a, b) => a.at - b.at);
  return { cameras, sayings, from, endsAt, settledAt };
}

function finalOf(random: Random): Final {
  return {
    memory: random.pick([40, 82, 95]),
    storage: random.pick([50, 500]),
    latency: random.pick([100, 900]),
    isCertified: random.chance(0.7),
  };
}

type Voice = {
  at: number;
  epoch: number | null;
  boot: number;
  seq: number;
  skew: number;
  heard: number;
  drifted: string[];
};

function tellLife(random: Random, camera: Camera, from: number, count: number) {
  const voice: Voice = {
    at: from + random.below(minute),
    epoch: null,
    boot: 1,
    seq: 0,
    skew: random.chance(0.2) ? random.below(48 * hour) - 24 * hour : random.below(4000) - 2000,
    heard: 0,
    drifted: [],
  };
  const reportOf = (at: number, body: object): Saying => {
    voice.seq += 1;
    const place = {
      bootId: `b${voice.boot}`,
      seq: voice.seq,
      timestamp: iso(at + voice.skew),
      groupId: camera.groupId,
    };
    return saying(camera, at, 'status', { ...place, ...body });
  };
  const sayings: Saying[] = [reportOf(voice.at, {}), birth(camera, voice)];
  if (random.chance(0.5)) sayings.push(...see(random, camera, voice));
  while (sayings.length < count) {
    voice.at += random.chance(0.2) ? 1 + random.below(5 * second) : 5 * second + random.below(110 * second);
    sayings.push(...sayNext(random, camera, voice, reportOf).slice(0, count - sayings.length));
  }
  if (camera.fate === 'is-lost') {
    // The loss comes clearly after the last message, which would otherwise count as on its way at the loss.
    voice.at += 10 * second;
    sayings.push(saying(camera, voice.at, 'connection', { status: 'offline', connectedAt: iso(voice.epoch ?? 0) }));
  }
  return { sayings, reportOf };
}

function sayNext(
  random: Random,
  camera: Camera,
  voice: Voice,
  reportOf: (at: number, body: object) => Saying,
): Saying[] {
  const { at } = voice;
  const draw = random.next();
  if (draw < 0.47) return [reportOf(at, readings(random))];
  if (draw < 0.5) return [withFault(random, reportOf(at, readings(random)))];
  if (draw < 0.58) return reconnect(random, camera, voice);
  if (draw < 0.66) return [event(random, camera, voice)];
  if (draw < 0.72) return [guard(random, camera, voice)];
  if (draw < 0.97) return see(random, camera, voice);
  if (draw < 0.975) return [leftover(random, camera, voice)];
  if (draw < 0.983) {
    voice.boot += 1;
    voice.seq = 0;
    return [saying(camera, at, 'event', { type: 'restarted', timestamp: iso(at + voice.skew) })];
  }
  return [poison(random, camera, at)];
}

/** Any of the sections, with values beyond the thresholds, at them, and between begin and end values. */
function readings(random: Random): object {
  return {
    ...(random.chance(0.6)
      ? { memory: { usedPercent: random.pick([40, 60, 75, 78, 80, 83, 85, 88, 90, 93, 99]) } }
      : {}),
    ...(random.chance(0.3) ? { storage: { freeMegabytes: random.pick([20, 99, 100, 110, 119, 120, 800]) } } : {}),
    ...(random.chance(0.3) ? { mqtt: { latencyMs: random.pick([20, 200, 399, 400, 500, 501, 900]) } } : {}),
    ...(random.chance(0.1) ? { certificate: { valid: random.chance(0.5) } } : {}),
    ...(random.chance(0.04) ? { auth: { failedAttempts: random.pick([1, 4, 5, 9]), windowSeconds: 60 } } : {}),
  };
}

/** A report with one unreadable section. The other sections are handled. */
function withFault(random: Random, report: Saying): Saying {
  const [fault, section] = random.pick([
    ['latency', { mqtt: { latencyMs: -1 } }],
    ['storage', { storage: { freeMegabytes: 'plenty' } }],
  ] as const);
  return { ...report, fault, body: { ...(report.body as object), ...section } };
}

/** A retained message: from an old connection or of unknown age, of a known or an unknown camera. */
function leftover(random: Random, camera: Camera, voice: Voice): Saying {
  const of = random.chance(0.2) ? { ...camera, deviceId: `ghost-${camera.deviceId}` } : camera;
  const earlier = random.chance(0.5) && voice.epoch !== null ? { connectedAt: iso(voice.epoch - hour) } : {};
  return { ...saying(of, voice.at, 'connection', { status: 'offline', ...earlier }), isRetained: true };
}

function birth(camera: Camera, voice: Voice): Saying {
  voice.epoch = voice.at;
  return saying(camera, voice.at, 'connection', { status: 'online', connectedAt: iso(voice.at) });
}

/** A loss that ends before or after the five minutes that make it an alert; or a session that another one replaced. */
function reconnect(random: Random, camera: Camera, voice: Voice): Saying[] {
  const { at, epoch } = voice;
  const isTakenOver = random.chance(0.2);
  const reason = isTakenOver ? { reason: 'takenover' } : {};
  const loss = saying(camera, at, 'connection', { status: 'offline', connectedAt: iso(epoch ?? at), ...reason });
  const gap = random.pick([second, 30 * second, 4 * minute, 6 * minute, longGap]);
  voice.at += isTakenOver ? 500 : gap;
  return [loss, birth(camera, voice)];
}

function event(random: Random, camera: Camera, voice: Voice): Saying {
  const types = [
    'config_updated',
    'config_updated',
    'unauthorized_broker_attempt',
    'certificate_validation_failed',
    'door',
  ];
  const timestamp = iso(voice.at + voice.skew);
  return saying(camera, voice.at, 'event', { type: random.pick(types), timestamp, attemptedHost: 'evil.example' });
}

/** At most as many guardian messages as a device record keeps. A heal of all drifted fields is the most frequent. */
function guard(random: Random, camera: Camera, voice: Voice): Saying {
  if (voice.heard >= 10) return event(random, camera, voice);
  voice.heard += 1;
  const timestamp = iso(voice.at + voice.skew);
  const kind =
    voice.drifted.length > 0 && random.chance(0.6) ? 'heal' : random.pick(['drift', 'drift', 'conflict'] as const);
  const fields = kind === 'heal' ? voice.drifted : [random.pick(['broker.port', 'clientId'])];
  if (kind === 'heal') voice.drifted = [];
  if (kind === 'drift') voice.drifted = [...new Set([...voice.drifted, ...fields])];
  return saying(camera, voice.at, 'guardian', guardianAlert(kind, fields, timestamp));
}

/** One detection, or several at one moment: a skill has one session per visible person. */
function see(random: Random, camera: Camera, voice: Voice): Saying[] {
  const count = random.chance(0.2) ? 2 + random.below(2) : 1;
  return Array.from({ length: count }, (_, index) => seeOne(random, camera, voice, index));
}

function seeOne(random: Random, camera: Camera, voice: Voice, index: number): Saying {
  const name = random.chance(0.06) ? random.pick(['bear', 'boar', 'boar', 'boar']) : 'person';
  const box = { x: 0.1, y: 0.2, width: 0.3, height: 0.4 };
  const analysis = {
    objects: [{ name, detected: true, confidence: 0.9, boundingBox: box }],
    questions: [],
    summary: '',
  };
  const session = `${camera.deviceId}-${voice.at}-${index}`;
  const device = { id: camera.deviceId, groupId: camera.groupId };
  return saying(
    camera,
    voice.at,
    'detection',
    detection(session, { timestamp: iso(voice.at + voice.skew), device, analysis }),
  );
}

function poison(random: Random, camera: Camera, at: number): Saying {
  const [kind, body] = random.pick([
    ['status', Buffer.from('{"memory":')],
    ['status', { memory: { usedPercent: 'much' } }],
    ['nonsense', {}],
    ['status', { deviceId: 'cam-of-another' }],
    ['connection', { status: 'perhaps' }],
  ] as [string, unknown][]);
  const isFaulty = kind === 'status' && (body as { memory?: unknown }).memory !== undefined;
  return { ...saying(camera, at, kind, body), isPoison: true, ...(isFaulty ? { fault: 'memory' as const } : {}) };
}

/** Reports with every section, until a minute before the end of the simulation. */
function tellRest(
  random: Random,
  { final }: Camera,
  reportOf: (at: number, body: object) => Saying,
  { from, until, period }: { from: number; until: number; period: number },
): Saying[] {
  const body = {
    memory: { usedPercent: final.memory },
    storage: { freeMegabytes: final.storage },
    mqtt: { latencyMs: final.latency },
    certificate: { valid: final.isCertified },
  };
  const sayings: Saying[] = [];
  for (let at = from + random.below(period); at < until - minute; at += period) {
    sayings.push(reportOf(at, body));
  }
  return sayings;
}

function saying({ deviceId }: Camera, at: number, kind: string, body: unknown): Saying {
  return { at, deviceId, kind, body, isPoison: false };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
