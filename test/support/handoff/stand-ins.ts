import type { OutboundAnswer, OutboundRequest } from '../../../shared/adapters/outbound/client.ts';

/** The answer of a stand-in: status and body. */
type StandInAnswer = { statusCode: number; body?: object };
/** A stand-in of a product. `take` answers a request. */
export type StandIn = {
  take(request: OutboundRequest, nowMs: number): StandInAnswer;
  /** The open alerts at a time, by deduplication key. */
  openAt(nowMs: number): Map<string, 'open' | 'acknowledged'>;
};

export const routingKey = '0123456789abcdef0123456789abcdef';
export const apiKey = 'eb243592-faa2-4ba2-a551-1afdf565c889';
export const password = 'correct horse';

type Json = Record<string, unknown>;
const minute = 60_000;

function jsonOf({ body, headers, method }: OutboundRequest): { value: unknown } | null {
  if (method !== 'POST' || !headers['Content-Type']?.startsWith('application/json')) return null;
  try {
    return { value: JSON.parse(body?.toString('utf8') ?? '') };
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a non-empty text of at most `longest` characters. */
function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= longest;
}

/** PagerDuty, Events API v2, by its published description (PagerDuty/api-schema, reference/events-v2/openapiv3.json). */
export function createPagerduty(): StandIn {
  const open = new Map<string, 'open' | 'acknowledged'>();
  let times: number[] = [];
  const invalid = (error: string) => ({
    statusCode: 400,
    body: { status: 'invalid event', message: 'Event object is invalid', errors: [error] },
  });
  return {
    openAt: () => open,
    take(request, nowMs) {
      if (new URL(request.url).pathname !== '/v2/enqueue') return { statusCode: 404 };
      if ((request.body?.length ?? 0) > 512 * 1024) return { statusCode: 413 };
      const json = jsonOf(request)?.value;
      if (!isObject(json)) return invalid('JSON is unparseable');
      times = times.filter((at) => at > nowMs - minute);
      if (times.length >= 120) return { statusCode: 429, body: { status: 'throttle exceeded' } };
      times.push(nowMs);
      const { routing_key, event_action, dedup_key, payload } = json;
      if (!isText(routing_key, 32) || routing_key.length !== 32) {
        return invalid("Length of 'routing_key' is incorrect (should be 32 characters)");
      }
      if (routing_key !== routingKey) return invalid("'routing_key' is invalid");
      if (dedup_key !== undefined && !isText(dedup_key, 255)) return invalid("'dedup_key' is too long");
      const key = typeof dedup_key === 'string' ? dedup_key : crypto.randomUUID();
      if (event_action === 'trigger') {
        if (!isObject(payload)) return invalid("'payload' is missing or blank");
        for (const [member, longest] of [
          ['summary', 1024],
          ['source', 255],
        ] as const) {
          if (!isText(payload[member], longest)) return invalid(`'payload.${member}' is missing, blank or too long`);
        }
        const severities: unknown[] = ['critical', 'error', 'warning', 'info'];
        if (!severities.includes(payload['severity'])) return invalid("'payload.severity' is invalid");
        const { timestamp } = payload;
        if (timestamp !== undefined && Number.isNaN(Date.parse(String(timestamp)))) {
          return invalid("'payload.timestamp' is invalid");
        }
        if (!open.has(key)) open.set(key, 'open');
      } else if (event_action === 'acknowledge' || event_action === 'resolve') {
        if (dedup_key === undefined) return invalid("'dedup_key' is missing or blank");
        if (event_action === 'resolve') open.delete(key);
        else if (open.has(key)) open.set(key, 'acknowledged');
      } else return invalid("'event_action' is invalid");
      return { statusCode: 202, body: { status: 'success', message: 'Event processed', dedup_key: key } };
    },
  };
}

const opsgenieTexts = { alias: 512, description: 15_000, entity: 512, source: 100, user: 100, note: 25_000 } as const;

/**
 * Opsgenie's Alerts API according to its documentation (docs.opsgenie.com/docs/alert-api): it accepts requests first and processes them later,
 * possibly without effect.
 */
export function createOpsgenie(): StandIn {
  const open = new Map<string, 'open' | 'acknowledged'>();
  const accepted = { statusCode: 202, body: { result: 'Request will be processed', took: 0.1, requestId: 'r-1' } };
  const unprocessable = (message: string) => ({ statusCode: 422, body: { message, took: 0.0 } });
  return {
    openAt: () => open,
    take(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (request.headers['Authorization'] !== `GenieKey ${apiKey}`) {
        return { statusCode: 401, body: { message: 'Could not authenticate', took: 0.0 } };
      }
      const json = jsonOf(request)?.value;
      if (!isObject(json)) return { statusCode: 400, body: { message: 'Could not parse request body' } };
      for (const [member, longest] of Object.entries(opsgenieTexts)) {
        if (json[member] !== undefined && !isText(json[member], longest)) return unprocessable(`${member} is too long`);
      }
      if (pathname === '/v2/alerts') return creating(json);
      const [, identifier, verb] = /^\/v2\/alerts\/([^/]+)\/(acknowledge|close)$/.exec(pathname) ?? [];
      if (!identifier || !verb) return { statusCode: 404 };
      // An identifier is an id unless the request says that it is an alias. With a wrong type the request is accepted without effect.
      const key = searchParams.get('identifierType') === 'alias' ? decodeURIComponent(identifier) : '';
      if (verb === 'close') open.delete(key);
      else if (open.has(key)) open.set(key, 'acknowledged');
      return accepted;
    },
  };
  function creating({ message, alias, priority, tags, details }: Json): StandInAnswer {
    if (!isText(message, 130)) return unprocessable('message must have 1 to 130 characters');
    if (priority !== undefined && !/^P[1-5]$/.test(String(priority))) return unprocessable('priority is not valid');
    const labels = tags ?? [];
    if (!Array.isArray(labels) || labels.length > 20 || !labels.every((tag) => isText(tag, 50))) {
      return unprocessable('tags are not valid');
    }
    if (details !== undefined && (!isObject(details) || JSON.stringify(details).length > 8000)) {
      return unprocessable('details are too long');
    }
    const texts: unknown[] = isObject(details) ? Object.values(details) : [];
    if (!texts.every((text) => typeof text === 'string')) return unprocessable('details are not texts');
    const key = isText(alias, 512) ? alias : crypto.randomUUID();
    if (!open.has(key)) open.set(key, 'open');
    return accepted;
  }
}

const eventFields = new Set([
  ...[
    'source',
    'event_class',
    'node',
    'type',
    'resource',
    'metric_name',
    'message_key',
    'severity',
    'resolution_state',
  ],
  ...['time_of_event', 'description', 'additional_info', 'ci_identifier'],
]);

/**
 * ServiceNow's table `em_event` according to its documentation. The product ignores unknown fields and truncates long values; the stand-in refuses
 * both.
 */
export function createServicenow(): StandIn {
  const open = new Map<string, 'open' | 'acknowledged'>();
  const invalid = (detail: string) => ({
    statusCode: 400,
    body: { error: { message: 'Invalid', detail }, status: 'failure' },
  });
  return {
    openAt: () => open,
    take(request) {
      if (new URL(request.url).pathname !== '/api/now/table/em_event') return { statusCode: 404 };
      const credential = Buffer.from(`watchpost:${password}`).toString('base64');
      if (request.headers['Authorization'] !== `Basic ${credential}`) {
        return { statusCode: 401, body: { error: { message: 'User Not Authenticated' }, status: 'failure' } };
      }
      const json = jsonOf(request)?.value;
      if (!isObject(json)) return invalid('The body is no JSON object');
      const unknown = Object.keys(json).find((member) => !eventFields.has(member));
      if (unknown) return invalid(`${unknown} is no field of em_event`);
      for (const [member, longest] of [
        ['source', 100],
        ['node', 100],
        ['type', 100],
        ['resource', 100],
        ['message_key', 1024],
        ['description', 4000],
      ] as const) {
        if (!isText(json[member], longest)) return invalid(`${member} is missing or too long`);
      }
      const { message_key, severity, resolution_state, time_of_event, additional_info } = json;
      if (!/^[0-5]$/.test(String(severity))) return invalid('severity is 0 to 5');
      if (resolution_state !== 'New' && resolution_state !== 'Closing') return invalid('resolution_state');
      if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(String(time_of_event))) return invalid('time_of_event');
      if (!isText(additional_info, 65_000) || !isObject(JSON.parse(additional_info))) return invalid('additional_info');
      if (severity === '0' || resolution_state === 'Closing') open.delete(String(message_key));
      else open.set(String(message_key), 'open');
      return { statusCode: 201, body: { result: { sys_id: 'a9e30c7dc61122760116894de7bcc7bd' } } };
    },
  };
}

/** Alertmanager according to its description (prometheus/alertmanager, api/v2/openapi.yaml), with its merging of repeated alerts. */
export function createAlertmanager(): StandIn {
  const alerts = new Map<string, { key: string; endsAt: number }>();
  const bad = (message: string) => ({ statusCode: 400, body: { code: 601, message } });
  const faultOf = (alert: unknown): string | null => {
    if (!isObject(alert) || !isObject(alert['labels'])) return 'labels in body is required';
    const named = [...Object.entries(alert['labels']), ...Object.entries(alert['annotations'] ?? {})];
    if (Object.keys(alert['labels']).length === 0) return 'at least one label pair required';
    if (!named.every(([name]) => /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name))) return 'invalid label name';
    if (!named.every(([, value]) => typeof value === 'string')) return 'a label is no string';
    for (const member of ['startsAt', 'endsAt']) {
      const at = alert[member];
      if (at !== undefined && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(String(at))) {
        return `${member} in body must be of type date-time`;
      }
    }
    const { startsAt, endsAt, generatorURL } = alert;
    if (startsAt && endsAt && String(endsAt) < String(startsAt)) return 'start time must be before end time';
    if (generatorURL !== undefined && !URL.canParse(String(generatorURL))) return 'generatorURL must be of type uri';
    return null;
  };
  return {
    openAt(nowMs) {
      const firing = [...alerts.values()].filter(({ endsAt }) => endsAt > nowMs);
      return new Map(firing.map(({ key }) => [key, 'open'] as const));
    },
    take(request, nowMs) {
      if (new URL(request.url).pathname !== '/api/v2/alerts') return { statusCode: 404 };
      const json = jsonOf(request)?.value;
      if (!Array.isArray(json)) return bad('alerts in body must be of type array');
      const fault = json.map(faultOf).find((each) => each !== null);
      if (fault) return bad(fault);
      for (const { labels, endsAt } of json as { labels: Record<string, string>; endsAt?: string }[]) {
        const print = JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
        // Without `endsAt`, the alert ends after `resolve_timeout`.
        const until = endsAt === undefined ? nowMs + 5 * minute : Date.parse(endsAt);
        alerts.set(print, { key: labels['watchpost_id'] ?? print, endsAt: until });
      }
      return { statusCode: 200 };
    },
  };
}

/** A receiver of our template's format: `{id, what}`. */
export function createGeneric(): StandIn {
  const open = new Map<string, 'open' | 'acknowledged'>();
  return {
    openAt: () => open,
    take(request) {
      const json = jsonOf(request)?.value;
      if (request.headers['X-Api-Key'] !== apiKey) return { statusCode: 403 };
      if (!isObject(json) || !isText(json['id'], 100)) return { statusCode: 422 };
      const key = json['id'];
      if (json['what'] === 'resolve') open.delete(key);
      else if (json['what'] === 'trigger') open.set(key, open.get(key) ?? 'open');
      else if (json['what'] !== 'acknowledge') return { statusCode: 422 };
      else if (open.has(key)) open.set(key, 'acknowledged');
      return { statusCode: 200, body: { ok: true } };
    },
  };
}

/** A stand-in's answer as the outbound client returns it. */
export function answered({ statusCode, body }: StandInAnswer, retryAfter?: string): OutboundAnswer {
  return { statusCode, retryAfter, excerpt: body ? JSON.stringify(body) : '', failure: null };
}
