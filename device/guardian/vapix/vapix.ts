import type { Failure, ManagementInterface } from '../decide/management-interface.ts';
import type { VapixAnswer, VapixCall } from './vapix-http.ts';
import { readStatus, writeParameters } from './vapix-mapping.ts';
import { hasSubscriptions, readSubscriptions, writeSubscriptions } from './vapix-subscriptions.ts';

const clientPath = '/axis-cgi/mqtt/client.cgi';
const versionNotSupported = 2100;

export type VapixParts = {
  call: VapixCall;
  /** Serial number of the camera: part of the defaults of its topics. */
  serial: string;
  /** Password of the camera's own MQTT client, written at each heal; null keeps the one that is stored. */
  clientPassword: string | null;
};

type Ask = (
  path: string,
  method: string,
  params?: Record<string, unknown>,
) => Promise<{ status: 'answered'; data: unknown } | Failure>;

/** The management interface of Axis cameras: the VAPIX MQTT client API and, for subscriptions, the MQTT event bridge. */
export function createVapix({ call, serial, clientPassword }: VapixParts): ManagementInterface {
  const ask = createAsk(call);

  const status = async () => {
    const answer = await ask(clientPath, 'getClientStatus');
    if (answer.status === 'failed') return answer;
    const read = readStatus(answer.data, serial);
    return read === null
      ? unreadable('The status holds no configuration.')
      : { status: 'read' as const, ...read, data: answer.data };
  };

  return {
    async read(golden) {
      const now = await status();
      if (now.status === 'failed') return now;
      const { configuration, isConnected } = now;
      if (!hasSubscriptions(golden)) return { status: 'read', configuration, isConnected };
      const subscriptions = await readSubscriptions(ask);
      if (subscriptions.status === 'failed') return subscriptions;
      return { status: 'read', configuration: { ...configuration, ...subscriptions.configuration }, isConnected };
    },
    async write(golden) {
      const now = await status();
      if (now.status === 'failed') return now;
      const configured = await ask(
        clientPath,
        'configureClient',
        writeParameters(now.data, golden, clientPassword, serial),
      );
      if (configured.status === 'failed') return configured;
      if (hasSubscriptions(golden)) {
        const subscribed = await writeSubscriptions(ask, golden);
        if (subscribed.status === 'failed') return subscribed;
      }
      const activated = golden['client.active'] === false ? 'deactivateClient' : 'activateClient';
      const answer = await ask(clientPath, activated);
      return answer.status === 'failed' ? answer : { status: 'written' };
    },
  };
}

/** Calls with the API version that the camera supports: requested once for each path, and again when the camera no longer accepts it. */
function createAsk(call: VapixCall): Ask {
  const versions = new Map<string, string>();

  const settleVersion = async (path: string): Promise<Failure | null> => {
    if (versions.has(path)) return null;
    const answer = await call(path, { method: 'getSupportedVersions', context: 'guardian' });
    if (answer.status !== 'answered') return asFailure(answer);
    const { apiVersions } = (answer.data ?? {}) as { apiVersions?: unknown };
    const spoken = Array.isArray(apiVersions) ? apiVersions.map(String) : [];
    const version = spoken.find((one) => /^1\.\d+$/.test(one));
    if (version === undefined)
      return {
        status: 'failed',
        reason: 'unsupported',
        detail: `The camera speaks ${spoken.join(', ') || 'no version'}.`,
      };
    versions.set(path, version);
    return null;
  };

  return async (path, method, params = {}) => {
    for (const isLast of [false, true]) {
      const failure = await settleVersion(path);
      if (failure) return failure;
      const answer = await call(path, { apiVersion: versions.get(path), context: 'guardian', method, params });
      if (answer.status === 'answered') return answer;
      const isOfVersion = answer.status === 'rejected' && answer.code === versionNotSupported;
      if (isLast || !isOfVersion) return asFailure(answer);
      versions.delete(path);
    }
    return unreadable('The camera takes none of the versions it names.');
  };
}

/** VAPIX error codes: 1100 to 1999 are faults of the camera, 2105 means missing rights, other 2xxx codes mean refused values or calls. */
function asFailure(answer: Exclude<VapixAnswer, { status: 'answered' }>): Failure {
  if (answer.status === 'failed') return answer;
  const { code, message } = answer;
  const detail = `The camera answered error ${code}: ${message.slice(0, 200)}`;
  if (code === 2105) return { status: 'failed', reason: 'unauthorized', detail };
  return { status: 'failed', reason: code >= 2000 ? 'refused' : 'internal', detail };
}

function unreadable(detail: string): Failure {
  return { status: 'failed', reason: 'unreadable', detail };
}
