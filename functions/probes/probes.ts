import type { IncomingMessage, ServerResponse } from 'node:http';
import { malformedPath } from '../../shared/adapters/http/malformed-paths.ts';
import type { HealthResponse, ReadinessResponse } from '../../shared/schema/probe/probe.ts';

type Service = {
  now: () => string;
  uptimeSeconds: () => number;
  version: string;
  /** Why the service cannot run. Null: it can. */
  error: string | null;
  /** Null where the checks cannot run, because the service cannot run. */
  ready: () => Promise<ReadinessResponse | null>;
};

/** Answers `/health` and `/ready`. A router would take most of a cold start here, so the code compares two paths. */
export function createProbes(service: Service) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?')[0];
    if (path !== '/health' && path !== '/ready') return refuse(response, path);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return answer(response, 405, problem(405, 'method-not-allowed', 'Probes answer GET.'));
    }
    if (path === '/health') {
      const health = healthOf(service);
      return answer(response, health.status === 'healthy' ? 200 : 503, health);
    }
    const readiness = (await service.ready()) ?? refusedReadiness(service);
    return answer(response, readiness.status === 'ready' ? 200 : 503, readiness);
  };
}

function refuse(response: ServerResponse, path: string | undefined): void {
  if (path !== malformedPath) return answer(response, 404, problem(404, 'not-found', 'There is no such path.'));
  const detail = 'The path of the address is not percent-encoded UTF-8.';
  answer(response, 400, problem(400, 'invalid-request', detail));
}

function healthOf({ now, version, error, uptimeSeconds }: Service): HealthResponse {
  const common = { timestamp: now(), version };
  return error === null
    ? { status: 'healthy', ...common, uptime: Math.floor(uptimeSeconds()) }
    : { status: 'unhealthy', ...common, error };
}

/** The answer of a service that cannot run: no check was made. */
function refusedReadiness({ now, version }: Service): ReadinessResponse {
  const unchecked = { status: 'unhealthy', latency_ms: null, error: 'not checked: the service cannot run' } as const;
  const checks = { database: unchecked, mqtt: unchecked, storage: unchecked, auth: unchecked };
  return { status: 'not_ready', timestamp: now(), version, checks };
}

function answer(response: ServerResponse, status: number, body: object): void {
  const type = status >= 400 && status < 500 ? 'application/problem+json' : 'application/json';
  response.writeHead(status, {
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(JSON.stringify(body));
}

/** The type is a page of this installation, whose address the probes do not know. */
function problem(status: number, code: string, detail: string): object {
  return { type: `/docs/problems/${code}`, title: detail, status, code, detail };
}
