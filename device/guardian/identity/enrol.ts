import type { Settings } from '../settings/settings.ts';
import { publicKeyOf } from './identity.ts';

/** Where the API is, and the token of an operator who may write devices. */
export type Service = { url: string; token: string };

/** A service that does not answer must not block the operator's shell. */
const answerMs = 15_000;

/** Registers the guardian's key with the service. @throws Error that says why it was refused, never the token */
export async function register({ device }: Settings, publicKey: string, service: Service): Promise<void> {
  const response = await ask(service, 'PUT', `/v1/devices/${device.id}/guardian-key`, { publicKey });
  if (!response.ok) throw new Error(`The service refused the key: ${await reasonOf(response)}`);
}

/** When the service last received the guardian's signed health. Null: never. @throws Error that says why it is unknown */
export async function lastHeardAt({ device }: Settings, service: Service): Promise<string | null> {
  const response = await ask(service, 'GET', `/v1/devices/${device.id}`);
  if (!response.ok) throw new Error(`The service does not show the device: ${await reasonOf(response)}`);
  const { guardian } = (await response.json()) as { guardian: { lastSeenAt: string | null } | null };
  return guardian?.lastSeenAt ?? null;
}

export function keyOf({ identity }: Settings): string {
  if (identity === null) throw new Error("identity.keyFile is missing: it says where the guardian's key is.");
  return publicKeyOf(identity);
}

function ask({ url, token }: Service, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${url.replace(/\/$/, '')}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(answerMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function reasonOf(response: Response): Promise<string> {
  const problem = (await response.json().catch(() => ({}))) as { title?: unknown; detail?: unknown };
  return `${response.status} ${String(problem.detail ?? problem.title ?? '').slice(0, 200)}`.trim();
}
