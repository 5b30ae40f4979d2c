import type { GuardianHealth } from '../../../shared/schema/guardian/envelope.ts';
import { createBrokerConnector } from '../mqtt/broker-connection.ts';
import { keyFileOf, type Settings } from '../settings/settings.ts';
import { keyOf, lastHeardAt, register, type Service } from './enrol.ts';
import { createSeal, makeKeyFile } from './identity.ts';

/** Time limit for the path through broker, bridge and service. */
const patienceMs = 60_000;
const mostConnections = 5;
const lookEveryMs = 1_000;

/** Creates the key file that the configuration names, if it does not exist. @throws Error where the configuration names none */
export function makeKey(path: string): void {
  const keyFile = keyFileOf(path);
  if (keyFile === null)
    throw new Error('identity.keyFile is missing in the configuration file: it names the file for the key.');
  makeKeyFile(keyFile);
}

/**
 * @returns null if no address is given
 * @throws Error if the token is missing, or if the address would send it without TLS
 */
export function serviceOf(api: string | undefined, env: NodeJS.ProcessEnv): Service | null {
  const token = env['WATCHPOST_TOKEN'] || null;
  if (api === undefined) return null;
  const url = URL.canParse(api) ? new URL(api) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!isSafe) throw new Error('--api must be an https: address (http: on a loopback address).');
  if (token === null) throw new Error('WATCHPOST_TOKEN is missing: the token of an operator who may write devices.');
  return { url: api, token };
}

/**
 * Registers the guardian's key if a service is given.
 * @returns one line of JSON: the device id, the public key, and whether it was registered
 * @throws Error that says why the key is missing or was refused
 */
export async function enrol(settings: Settings, service: Service | null): Promise<string> {
  const publicKey = keyOf(settings);
  if (service) await register(settings, publicKey, service);
  return JSON.stringify({ deviceId: settings.device.id, publicKey, registered: service !== null });
}

/**
 * Publishes one signed message and waits until the service shows it, because a broker may acknowledge a message that
 * its access list discards.
 * @returns one line of JSON: the device id, and when the service received the message
 * @throws Error that says at which step it failed
 */
export async function checkWay(settings: Settings, service: Service | null): Promise<string> {
  if (!service) throw new Error('--check needs --api and WATCHPOST_TOKEN.');
  if (settings.identity === null)
    throw new Error('identity.keyFile is missing: a guardian without a key cannot be distinguished from another.');
  const before = await lastHeardAt(settings, service);
  const { intervalSeconds, healthIntervalSeconds, device, broker } = settings;
  const health: GuardianHealth = {
    status: 'ok',
    goldenGeneration: null,
    lastAlertSeq: 0,
    intervalSeconds,
    healthIntervalSeconds,
  };
  // A separate journal that all checks share, because the numbers of the running guardian must not be used here.
  const place = { epoch: 'check', seq: Date.now() };
  const message = createSeal(device.id, settings.identity)('health', place, JSON.stringify(health));
  await publishBeside(createBrokerConnector({ ...broker, keepAliveSeconds: 60 }), message);
  const end = Date.now() + patienceMs;
  while (Date.now() < end) {
    const heardAt = await lastHeardAt(settings, service);
    if (heardAt !== null && heardAt !== before) return JSON.stringify({ deviceId: device.id, heardAt });
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  throw new Error(
    `The broker acknowledged a message to ${message.topic} and the service does not show it: look at the broker's access list, the bridge and the quarantine.`,
  );
}

/**
 * Publishes a message while the guardian may be running. The guardian has the same client id, so the broker closes this
 * connection when the guardian connects. Then the message is sent over a new one, at most five in all. A connection
 * that the broker refuses is not tried again, because each try is a failed login in the broker's log.
 */
async function publishBeside(
  connect: ReturnType<typeof createBrokerConnector>,
  message: { topic: string; payload: string },
): Promise<void> {
  for (let left = mostConnections - 1; ; left -= 1) {
    const connection = await connect();
    try {
      return await connection.publish(message);
    } catch (error) {
      if (left === 0) throw error;
    } finally {
      connection.close();
    }
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}
