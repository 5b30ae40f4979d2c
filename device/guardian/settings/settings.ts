import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type ParsedJson, parseJson } from '../../../shared/schema/json.ts';
import type { Policy } from '../decide/maintenance.ts';
import type { Device } from '../decide/notice.ts';
import { type Golden, type GoldenOffer, readGolden, readPublicKey, watchSignedFile } from '../golden/golden.ts';
import type { Credentials } from '../vapix/http-authentication.ts';
import { faultsOfMembers, type Reader, readMembers } from './settings-reader.ts';

/** All settings of a guardian: the configuration file and, for secrets, the environment. */
export type Settings = {
  device: Device;
  camera: { url: URL; ca: string | null; credentials: Credentials | null; clientPassword: string | null };
  broker: {
    url: URL;
    ca: string | null;
    clientCertificate: { certificate: string; key: string } | null;
    clientId: string;
    username: string | null;
    password: string | null;
  };
  /** The key that the guardian signs with. Null: it publishes as the camera does. */
  identity: KeyObject | null;
  intervalSeconds: number;
  healthIntervalSeconds: number;
  policy: Policy;
  queueDirectory: string;
  healthFile: string;
  /** Called before each comparison. */
  golden: () => GoldenOffer;
};

/** The contract's interval of comparison. */
const defaultIntervalSeconds = 30;
const defaultHealthIntervalSeconds = 300;

/**
 * Reads a guardian's configuration file. Paths in it are relative to the file.
 * @throws Error that names every member and variable at fault, and never shows a secret
 */
export function readSettings(path: string, env: NodeJS.ProcessEnv): Settings {
  const faults: string[] = [];
  const settings = readFile(readJsonFile(path), resolve(dirname(path)), env, faults);
  if (faults.length > 0) throw new Error(`${path} is refused: ${faults.join('; ')}.`);
  return settings;
}

/** @throws Error that names the file, and a member that appears twice */
function readJsonFile(path: string): unknown {
  let parsed: ParsedJson;
  try {
    parsed = parseJson(readFileSync(path));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (!('fault' in parsed)) return parsed.value;
  const { fault, syntax } = parsed;
  throw new Error(`${path} cannot be read: ${syntax ?? `${fault.pointer} ${fault.detail}`}`);
}

function readFile(value: unknown, folder: string, env: NodeJS.ProcessEnv, faults: string[]): Settings {
  const file = readMembers(value, '', folder, faults);
  faultsOfMembers(file, [
    'device',
    'interface',
    'broker',
    'identity',
    'intervalSeconds',
    'healthIntervalSeconds',
    'policy',
    'queueDirectory',
    'healthFile',
    'golden',
  ]);
  const device = readDevice(file.object('device'));
  const queueDirectory = resolve(folder, file.optionalText('queueDirectory', /./) ?? 'guardian-queue');
  return {
    device,
    camera: readCamera(file.object('interface'), env),
    broker: readBroker(file.object('broker'), device.id, env),
    identity: file.raw('identity') === undefined ? null : readIdentity(file.object('identity')),
    intervalSeconds: file.whole('intervalSeconds', 1, 300, defaultIntervalSeconds),
    healthIntervalSeconds: file.whole('healthIntervalSeconds', 1, 3600, defaultHealthIntervalSeconds),
    policy: readPolicy(file),
    queueDirectory,
    healthFile: resolve(folder, file.optionalText('healthFile', /./) ?? `${queueDirectory}/health.json`),
    golden: readGoldenSource(file, device.id, folder, faults),
  };
}

function readDevice(device: Reader): Device {
  faultsOfMembers(device, ['id', 'serial', 'model', 'ip']);
  return {
    // The service's own rule for device ids.
    id: device.text('id', /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
    serial: device.text('serial', /^[^\p{Cc}]{1,128}$/u),
    model: device.text('model', /^[^\p{Cc}]{1,128}$/u),
    ip: device.text('ip', /^[0-9A-Fa-f.:]{2,64}$/),
  };
}

function readCamera(camera: Reader, env: NodeJS.ProcessEnv): Settings['camera'] {
  faultsOfMembers(camera, ['type', 'url', 'caFile']);
  camera.text('type', /^vapix$/);
  const username = env['GUARDIAN_USERNAME'] ?? '';
  const url = camera.url('url', ['http:', 'https:']);
  if (url.protocol === 'http:' && !isLoopback(url) && env['GUARDIAN_CLIENT_PASSWORD'])
    camera.fault('url', 'must begin with https:// off this machine: GUARDIAN_CLIENT_PASSWORD is written there');
  return {
    url,
    ca: camera.fileContent('caFile', asCertificate),
    credentials: username === '' ? null : { username, password: env['GUARDIAN_PASSWORD'] ?? '' },
    clientPassword: env['GUARDIAN_CLIENT_PASSWORD'] || null,
  };
}

function readBroker(broker: Reader, deviceId: string, env: NodeJS.ProcessEnv): Settings['broker'] {
  faultsOfMembers(broker, ['url', 'caFile', 'certificateFile', 'keyFile', 'clientId']);
  const certificate = broker.fileContent('certificateFile', asCertificate);
  const key = broker.fileContent('keyFile', createPrivateKey);
  if ((certificate === null) !== (key === null)) broker.fault('certificateFile', 'and keyFile go together');
  const url = broker.url('url', ['mqtt:', 'mqtts:']);
  if (url.protocol === 'mqtt:' && !isLoopback(url)) broker.fault('url', 'must begin with mqtts:// off this machine');
  return {
    url,
    ca: broker.fileContent('caFile', asCertificate),
    clientCertificate: certificate === null || key === null ? null : { certificate, key },
    clientId: broker.optionalText('clientId', /^.{1,128}$/) ?? `guardian-${deviceId}`,
    username: env['GUARDIAN_BROKER_USERNAME'] || null,
    password: env['GUARDIAN_BROKER_PASSWORD'] || null,
  };
}

function readIdentity(identity: Reader): KeyObject | null {
  faultsOfMembers(identity, ['keyFile']);
  identity.text('keyFile', /./);
  let key: KeyObject | null = null;
  identity.fileContent('keyFile', (content) => {
    key = createPrivateKey(content);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is no Ed25519 key');
  });
  return key;
}

/** The path of the guardian's key in the configuration file. Null where there is none. */
export function keyFileOf(path: string): string | null {
  const file = readJsonFile(path) as { identity?: { keyFile?: unknown } } | null;
  const keyFile = file?.identity?.keyFile;
  return typeof keyFile === 'string' && keyFile !== '' ? resolve(dirname(path), keyFile) : null;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

const asCertificate = (pem: string) => new X509Certificate(pem);

/** `"HEAL"`, or `{"mode": "ALERT_ONLY", "until": instant}`. An end is required, because a window without one would disable the guardian. */
function readPolicy(file: Reader): Policy {
  const value = file.raw('policy') ?? 'HEAL';
  if (value === 'HEAL') return { mode: 'HEAL' };
  if (typeof value !== 'object') {
    file.fault('policy', 'must be "HEAL" or {"mode": "ALERT_ONLY", "until": "2026-11-20T12:00:00Z"}');
    return { mode: 'HEAL' };
  }
  const policy = file.object('policy');
  faultsOfMembers(policy, ['mode', 'until']);
  if (policy.text('mode', /^(HEAL|ALERT_ONLY)$/) === 'HEAL') return { mode: 'HEAL' };
  const until = policy.text('until', /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/);
  if (until !== '' && Number.isNaN(Date.parse(until))) policy.fault('until', 'must be an instant');
  return { mode: 'ALERT_ONLY', untilAt: until };
}

/** The source of the golden configuration: the configuration itself, or the path of a signed file with the key that must have signed it. */
function readGoldenSource(file: Reader, deviceId: string, folder: string, faults: string[]): () => GoldenOffer {
  const value = file.raw('golden');
  const isSigned = typeof value === 'object' && value !== null && ('signedFile' in value || 'publicKey' in value);
  if (!isSigned) return offerOnce(readGolden(value, deviceId, 'golden', faults));
  const golden = file.object('golden');
  faultsOfMembers(golden, ['signedFile', 'publicKey']);
  const signedFile = resolve(folder, golden.text('signedFile', /./));
  try {
    return watchSignedFile(signedFile, readPublicKey(golden.text('publicKey', /./)), deviceId);
  } catch (error) {
    golden.fault('publicKey', (error as Error).message);
    return () => ({ status: 'unchanged' });
  }
}

function offerOnce(golden: Golden): () => GoldenOffer {
  let isOffered = false;
  return () => {
    if (isOffered) return { status: 'unchanged' };
    isOffered = true;
    return { status: 'offered', golden };
  };
}
