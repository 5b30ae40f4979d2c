import type { Fault } from '../../errors.ts';
import { credentialHeader } from '../../schema/vocabulary.ts';

/** Names that are not the customer's to set: they belong to the connection, the body, the signature or the platform, or would be no member. */
const refusedNames = new Set([
  '__proto__',
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
const refusedBeginnings = ['content-', 'x-service-', 'webhook-', 'x-cloudtasks-', 'x-goog-'];

/** What stands in an answer for a header's value that is a credential; sent back, it keeps the value. */
export const hiddenValue = '***';

/** Whether a header carries a credential, so that answers show that it is set and not its value. */
export function hidesValue(name: string): boolean {
  return credentialHeader.test(name);
}

/** Custom headers that may not be set. Their number, names' and values' form are the schema's. */
export function faultsOfHeaders(headers: Readonly<Record<string, string>>): Fault[] {
  const seen = new Set<string>();
  return Object.keys(headers).flatMap((name): Fault[] => {
    const lower = name.toLowerCase();
    const pointer = `/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (seen.has(lower)) return [{ pointer, detail: 'stands twice' }];
    seen.add(lower);
    const isRefused = refusedNames.has(lower) || refusedBeginnings.some((beginning) => lower.startsWith(beginning));
    return isRefused ? [{ pointer, detail: 'is not a header that can be set' }] : [];
  });
}
