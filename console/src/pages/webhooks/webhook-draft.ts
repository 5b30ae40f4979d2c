import type { webhookEvents } from '../../../../shared/schema/vocabulary.ts';
import type { Webhook } from '../../../../shared/schema/webhook/webhook.ts';
import { words } from '../../components/form.tsx';
import type { WebhookDraft } from '../../model.ts';

/** The form of an endpoint: each member as text or choice. */
export type Draft = {
  url: string;
  method: 'POST' | 'PUT' | 'PATCH';
  description: string;
  headers: string;
  secret: string;
  events: (typeof webhookEvents)[number][];
  objects: string;
  minConfidence: string;
  groups: string;
  devices: string;
  schedule: string;
  maxAttempts: string;
  timeoutSeconds: string;
  sequenced: boolean;
  enabled: boolean;
};

export function draftOf(webhook: Webhook | null): Draft {
  const filter = webhook?.filter ?? {};
  const headers = Object.entries(webhook?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return {
    url: webhook?.url ?? '',
    method: webhook?.method ?? 'POST',
    description: webhook?.description ?? '',
    headers: headers.join('\n'),
    secret: '',
    events: webhook?.events ?? ['detection'],
    objects: filter.objects?.join(', ') ?? '',
    minConfidence: filter.minConfidence?.toString() ?? '',
    groups: filter.groups?.join(', ') ?? '',
    devices: filter.devices?.join(', ') ?? '',
    schedule: filter.schedule ?? '',
    maxAttempts: String(webhook?.maxAttempts ?? 3),
    timeoutSeconds: String(webhook?.timeoutSeconds ?? 10),
    sequenced: webhook?.sequenced ?? false,
    enabled: webhook?.enabled ?? true,
  };
}

export function keptNameOf(webhook: Webhook | null): string {
  return `webhook:${webhook?.webhookId ?? 'new'}`;
}

/** The part of a draft that is kept: without the secret, and without headers, which may contain one. */
export function keepable({ secret: _secret, headers: _headers, ...rest }: Draft): Partial<Draft> {
  return rest;
}

function headersOf({ headers }: Draft): Record<string, string> {
  const lines = headers.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*([^:]+?)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    return name ? [[name, value ?? '']] : [];
  });
  return Object.fromEntries(lines);
}

/** The filter of a draft, without the members that are empty. */
function filterOf(draft: Draft): NonNullable<WebhookDraft['filter']> {
  const [objects, groups, devices] = [words(draft.objects), words(draft.groups), words(draft.devices)];
  return {
    ...(objects.length > 0 ? { objects } : {}),
    ...(draft.minConfidence ? { minConfidence: Number(draft.minConfidence) } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(devices.length > 0 ? { devices } : {}),
    ...(draft.schedule.trim() ? { schedule: draft.schedule.trim() } : {}),
  };
}

/** The request body. Defaults and unchanged members are omitted where that means the same. */
export function bodyOf(draft: Draft, webhook: Webhook | null): WebhookDraft {
  const filter = filterOf(draft);
  // Header values with credentials come back masked, so headers are sent only where they were edited.
  const isHeaded = draft.headers !== draftOf(webhook).headers;
  return {
    url: draft.url.trim(),
    method: draft.method,
    events: draft.events,
    maxAttempts: Number(draft.maxAttempts),
    timeoutSeconds: Number(draft.timeoutSeconds),
    ...(draft.sequenced === (webhook?.sequenced ?? false) ? {} : { sequenced: draft.sequenced }),
    enabled: draft.enabled,
    ...(draft.description ? { description: draft.description } : webhook?.description ? { description: null } : {}),
    ...(isHeaded ? { headers: headersOf(draft) } : {}),
    ...(draft.secret ? { secret: draft.secret } : webhook ? {} : { generateSecret: true }),
    ...(Object.keys(filter).length > 0 ? { filter } : webhook?.filter ? { filter: null } : {}),
  };
}
