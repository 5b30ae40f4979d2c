import type { Camera } from './camera.ts';
import type { VapixServer } from './device/vapix-server.ts';
import { readTampering, type Tampering, tamperFields } from './tampering.ts';

/** Returns whether something was sent (false where the camera is not connected), or a text to print. */
export type CameraCommand = (camera: Camera) => Promise<boolean | string>;

type Verb = { usage: string; about: string; read(...words: (string | undefined)[]): CameraCommand };

const number = (argument: string | undefined, min: number, max: number): number => {
  const value = Number(argument);
  if (argument === undefined || !(value >= min && value <= max)) {
    throw new Error(`needs a number from ${min} to ${max}, not "${argument ?? ''}"`);
  }
  return value;
};
/** A command that changes the configuration of a camera's MQTT client without its guardian. */
const management = (act: (management: VapixServer, camera: Camera) => string) => async (camera: Camera) => {
  if (camera.management === null) throw new Error('this camera has no management interface');
  return act(camera.management, camera);
};
const tampered = ({ field, value }: Tampering) => `${field} is ${JSON.stringify(value)} now`;
/** Functions that stop what `tamper-every` has started. */
const adversaries = new WeakMap<Camera, () => void>();
const reading = (readings: Partial<Camera['state']>) => (camera: Camera) => {
  Object.assign(camera.state, readings);
  return camera.sendStatus();
};

const verbs: Record<string, Verb> = {
  memory: {
    usage: 'memory PERCENT',
    about: 'reports this use of memory from now on',
    read: (argument) => reading({ memoryUsedPercent: number(argument, 0, 100) }),
  },
  latency: {
    usage: 'latency MS',
    about: 'reports this latency from now on',
    read: (argument) => reading({ latencyMs: number(argument, 0, 1e6) }),
  },
  storage: {
    usage: 'storage MB',
    about: 'reports this free storage from now on',
    read: (argument) => reading({ freeMegabytes: number(argument, 0, 1e9) }),
  },
  certificate: {
    usage: 'certificate 3d',
    about: 'the certificate ends in so many days (of the stack’s time scale); negative: it has ended',
    read: (argument) => reading({ certificateDaysLeft: number(argument?.replace(/d$/, ''), -3650, 3650) }),
  },
  'auth-fail': {
    usage: 'auth-fail [N]',
    about: 'reports N failed authentications (5)',
    read: (argument) => reading({ failedAttempts: number(argument ?? '5', 1, 1e6) }),
  },
  event: {
    usage: 'event TYPE',
    about: 'sends an event, e.g. config_updated, restarted, unauthorized_broker_attempt',
    read(argument) {
      if (argument === undefined) throw new Error('needs a type, e.g. config_updated');
      return (camera) => camera.send('event', { type: argument, timestamp: new Date().toISOString() });
    },
  },
  status: { usage: 'status', about: 'sends a status report now', read: () => (camera) => camera.sendStatus() },
  offline: {
    usage: 'offline',
    about: 'says that it goes, and disconnects',
    read: () => (camera) => camera.leave('politely').then(() => 'disconnected'),
  },
  kill: {
    usage: 'kill',
    about: 'drops the connection, so that the broker sends the last will',
    read: () => (camera) => camera.leave('abruptly').then(() => 'dropped the connection'),
  },
  online: {
    usage: 'online',
    about: 'connects again',
    read: () => (camera) =>
      camera.connect().then(() => (camera.isConnected() ? 'connected' : 'its configuration names another broker')),
  },
  tamper: {
    usage: 'tamper FIELD VALUE',
    about: 'changes its MQTT configuration, e.g. broker.host 203.0.113.9',
    read(field, value) {
      const tampering = readTampering(field, value);
      return management(({ tamper }) => {
        tamper(tampering.field, tampering.value);
        return tampered(tampering);
      });
    },
  },
  'tamper-every': {
    usage: 'tamper-every SECONDS FIELD VALUE',
    about: 'does so again and again, in place of what it did so far',
    read(seconds, field, value) {
      const everySeconds = number(seconds, 1, 86_400);
      const tampering = readTampering(field, value);
      return management(({ tamperEvery }, camera) => {
        adversaries.get(camera)?.();
        adversaries.set(camera, tamperEvery(everySeconds, tampering.field, tampering.value));
        return `${tampered(tampering).replace(/ now$/, '')} from now on every ${everySeconds} s; "tamper-stop" ends it`;
      });
    },
  },
  'tamper-stop': {
    usage: 'tamper-stop',
    about: 'ends tamper-every',
    read: () =>
      management((_management, camera) => {
        adversaries.get(camera)?.();
        return adversaries.delete(camera) ? 'nobody tampers with it any more' : 'nobody tampers with it';
      }),
  },
  'firmware-reset': {
    usage: 'firmware-reset',
    about: 'sets its MQTT configuration back to that of a new camera',
    read: () =>
      management(({ firmwareReset }) => {
        firmwareReset();
        return 'its MQTT client is as it came out of the box';
      }),
  },
  help: {
    usage: 'help',
    about: 'lists the commands',
    read: () => async () => commandHelp,
  },
};

/** One line of help for each command. The code that reads the lines handles `quit`. */
export const commandHelp = [
  ...[...Object.values(verbs), { usage: 'quit', about: 'ends' }].map(
    ({ usage, about }) => `  ${usage.padEnd(34)}${about}`,
  ),
  `\nFIELD is one of ${tamperFields.join(', ')}.`,
].join('\n');

/**
 * Parses a line into a command.
 * @throws Error that says what is wrong with the line
 */
export function readCommand(line: string): CameraCommand {
  const [name = '', ...words] = line.trim().split(/\s+/);
  const verb = verbs[name];
  if (!verb || !Object.hasOwn(verbs, name)) throw new Error(`"${name}" is not a command; "help" lists them.`);
  const wanted = verb.usage.split(' ').length - 1;
  // A value may contain spaces.
  if (verb.usage.endsWith(' VALUE') && words.length > wanted) words.push(words.splice(wanted - 1).join(' '));
  if (words.length > wanted) throw new Error(`${verb.usage}: too many arguments.`);
  try {
    return verb.read(...words);
  } catch (error) {
    throw new Error(`${verb.usage}: ${error instanceof Error ? error.message : error}`);
  }
}
