import type { Fault } from '../../errors.ts';
import { credentialHeader } from '../../schema/vocabulary.ts';

/**
 * Header names that a customer cannot set: they belong to the connection, the body, the signature or the platform, or are unsafe as a
 * member of an object.
 */
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
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
const refusedBeginnings = ['content-', 'x-service-', 'webhook-', 'x-cloudtasks-', 'x-goog-', 'ce-'];

/** Answers show this text in place of a header value that is a credential. A client that sends it back keeps the stored value. */
export const hiddenValue = '***';

/** Whether a header carries a credential. Answers then show that it is set, but not its value. */
export function hidesValue(name: string): boolean {
  return credentialHeader.test(name);
}

/** Custom headers that cannot be set or appear twice. The schema limits their number and the form of names and values. */
export function faultsOfHeaders(headers: Readonly<Record<string, string>>): Fault[] {
  const seen = new Set<string>();
  return Object.keys(headers).flatMap((name): Fault[] => {
    const lower = name.toLowerCase();
    const pointer = `/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (seen.has(lower)) return [{ pointer, detail: 'appears twice' }];
    seen.add(lower);
    const isRefused = refusedNames.has(lower) || refusedBeginnings.some((beginning) => lower.startsWith(beginning));
    return isRefused ? [{ pointer, detail: 'is not a header that can be set' }] : [];
  });
}
