import type { Webhook } from '../../domain/delivery/webhook.ts';
import { faultsOfHeaders, hiddenValue } from '../../domain/delivery/webhook-headers.ts';
import { faultsOfSchedule } from '../../domain/settings/schedules.ts';
import { AppError, type Fault } from '../../errors.ts';
import type { CredentialVersions, UpdateWebhookRequest } from '../../schema/webhook/webhook.ts';
import type { World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';

/** Checks what the schema cannot express. @throws AppError `invalid-request` */
export async function requireFit(
  world: World,
  { faultOfTarget }: { faultOfTarget(url: string): Promise<string | null> },
  { url, filter }: Webhook,
  { headers, secret, credentialVersions = {} }: Pick<UpdateWebhookRequest, 'headers' | 'secret' | 'credentialVersions'>,
): Promise<void> {
  const { settings } = await loadConfiguration(world);
  const fault = await faultOfTarget(url);
  const faults: Fault[] = [
    ...(fault ? [{ pointer: '/url', detail: fault }] : []),
    ...faultsOfHeaders(headers ?? {}),
    ...faultsOfSecret(secret),
    ...faultsOfVersions(credentialVersions, headers ?? {}, secret),
    ...faultsOfSchedule(filter?.schedule, settings, world.now(), '/filter/schedule'),
  ];
  if (faults.length > 0) throw refused(faults);
}

/** A shorter secret can be guessed by somebody who has seen one signed message. */
const leastSecretBytes = 16;

/** What is wrong with a secret that a person chose. The key is the text itself, or the decoded base64 after `whsec_`. */
export function faultsOfSecret(secret: string | null | undefined): Fault[] {
  if (typeof secret !== 'string') return [];
  const bytes = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  return bytes.length < leastSecretBytes
    ? [{ pointer: '/secret', detail: `must have at least ${leastSecretBytes} bytes` }]
    : [];
}

/** A version without its credential would say of an older credential that it is the newer one. */
function faultsOfVersions(
  { secret: ofSecret, headers: ofHeaders = {} }: CredentialVersions,
  headers: Readonly<Record<string, string>>,
  secret: string | null | undefined,
): Fault[] {
  const detail = 'is given only together with its credential';
  const bare = Object.keys(ofHeaders).filter((name) => (headers[name] ?? hiddenValue) === hiddenValue);
  const pointers = bare.map((name) => `/credentialVersions/headers/${name.replaceAll('~', '~0')}`);
  const isBare = ofSecret !== undefined && typeof secret !== 'string';
  return [...(isBare ? ['/credentialVersions/secret'] : []), ...pointers].map((pointer) => ({ pointer, detail }));
}

export function refused(errors: Fault[]): AppError {
  const [first] = errors;
  return new AppError('invalid-request', `${first?.pointer || 'The endpoint'} ${first?.detail}.`, { errors });
}
