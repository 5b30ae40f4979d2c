import type { Webhook } from '../../domain/delivery/webhook.ts';
import { faultsOfHeaders, hiddenValue } from '../../domain/delivery/webhook-headers.ts';
import { faultsOfSchedule } from '../../domain/settings/schedules.ts';
import { AppError, type Fault } from '../../errors.ts';
import type { CredentialVersions, UpdateWebhookRequest } from '../../schema/webhook/webhook.ts';
import type { World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { faultsOfCertificate } from './credentials.ts';
import { faultsOfTemplate } from './template.ts';

/** The members of a request that only the request has: credentials are sealed in the record. */
type CredentialChange = Pick<
  UpdateWebhookRequest,
  'headers' | 'secret' | 'credentialVersions' | 'clientCertificate' | 'oauth2'
>;

/** Checks what the schema cannot express. @throws AppError `invalid-request` */
export async function requireFit(
  world: World,
  { faultOfTarget }: { faultOfTarget(url: string): Promise<string | null> },
  { url, filter, events, template, maxAttempts, retryDelays, oauth2 }: Webhook,
  request: CredentialChange,
): Promise<void> {
  const { headers, secret, credentialVersions = {}, clientCertificate } = request;
  const { settings } = await loadConfiguration(world);
  const now = world.now();
  const fault = await faultOfTarget(url);
  const tokenFault = request.oauth2 ? await faultOfTarget(request.oauth2.tokenUrl) : null;
  const faults: Fault[] = [
    ...(fault ? [{ pointer: '/url', detail: fault }] : []),
    ...faultsOfHeaders(headers ?? {}),
    ...faultsOfSecret(secret),
    ...faultsOfVersions(request, credentialVersions),
    ...faultsOfCertificate(clientCertificate, now),
    ...(tokenFault ? [{ pointer: '/oauth2/tokenUrl', detail: tokenFault }] : []),
    ...(request.oauth2 && !oauth2 ? [{ pointer: '/oauth2/clientSecret', detail: neededSecret }] : []),
    ...faultsOfTemplate(template?.text, events, now),
    ...faultsOfAttempts(maxAttempts, retryDelays),
    ...faultsOfSchedule(filter?.schedule, settings, now, '/filter/schedule'),
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

const neededSecret = 'is required, because there is none for this address of tokens and this client';
const contractDelays = 4;

/** Each attempt after the first has its delay. */
function faultsOfAttempts(maxAttempts: number, retryDelays: readonly number[] | undefined): Fault[] {
  const most = (retryDelays?.length ?? contractDelays) + 1;
  if (maxAttempts <= most) return [];
  return [{ pointer: '/maxAttempts', detail: `must be at most ${most}, one more than the delays in \`retryDelays\`` }];
}

/** A version without its credential would say of an older credential that it is the newer one. */
function faultsOfVersions(
  { headers: given, secret, clientCertificate, oauth2 }: CredentialChange,
  { headers: ofHeaders = {}, ...single }: CredentialVersions,
): Fault[] {
  const headers = given ?? {};
  const isGiven = {
    secret: typeof secret === 'string',
    clientCertificate: Boolean(clientCertificate),
    oauth2: oauth2?.clientSecret !== undefined,
  };
  const detail = 'is given only together with its credential';
  const bare = Object.keys(ofHeaders).filter((name) => (headers[name] ?? hiddenValue) === hiddenValue);
  const pointers = bare.map((name) => `/credentialVersions/headers/${name.replaceAll('~', '~0')}`);
  const alone = (Object.keys(single) as (keyof typeof single)[]).filter((name) => !isGiven[name]);
  const all = [...alone.map((name) => `/credentialVersions/${name}`), ...pointers];
  return all.map((pointer) => ({ pointer, detail }));
}

export function refused(errors: Fault[]): AppError {
  const [first] = errors;
  return new AppError('invalid-request', `${first?.pointer || 'The endpoint'} ${first?.detail}.`, { errors });
}
