import { type Finding, unknown } from './finding.ts';

/**
 * The answer of an API. `absent`: the resource does not exist; `unasked`: the request failed, with the line for the
 * report.
 */
type Answer =
  | { kind: 'found'; body: Record<string, unknown> }
  | { kind: 'absent' }
  | { kind: 'unasked'; finding: Finding };

/** Read-only access to Google's REST APIs. */
export type Google = {
  project: string;
  /** @param body makes it a POST request, only for methods that change nothing */
  read(what: string, url: string, body?: object): Promise<Answer>;
};

const timeoutMs = 15_000;

/** @param base replaces `https://` in each address, for example `http://127.0.0.1:1234/` for a stand-in of the APIs */
export function createGoogle(project: string, token: string, base = 'https://'): Google {
  return {
    project,
    async read(what, url, body) {
      const [host = ''] = url.split('/');
      try {
        const response = await fetch(`${base}${url}`, {
          method: body ? 'POST' : 'GET',
          // Without `x-goog-user-project` several APIs would need to be enabled in the caller's own project.
          headers: {
            Authorization: `Bearer ${token}`,
            'x-goog-user-project': project,
            'Content-Type': 'application/json',
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
          redirect: 'error',
          signal: AbortSignal.timeout(timeoutMs),
        });
        const answer = (await response.json()) as Record<string, unknown>;
        if (response.ok) return { kind: 'found', body: answer };
        if (response.status === 404) return { kind: 'absent' };
        return {
          kind: 'unasked',
          finding: unknown(`${what}: ${host} answered ${response.status}`, adviceOn(response.status, host, project)),
        };
      } catch {
        return {
          kind: 'unasked',
          finding: unknown(
            `${what}: ${host} was not reached`,
            'Look at the network of this machine, and at its proxy.',
          ),
        };
      }
    },
  };
}

function adviceOn(status: number, host: string, project: string): string {
  if (status === 401) return 'The access token is refused: `gcloud auth login`, or set GOOGLE_OAUTH_ACCESS_TOKEN anew.';
  if (status === 403)
    return `Ask for the right to read it, and enable the API that tells: \`gcloud services enable ${host} --project ${project}\`.`;
  return 'Try again in a while.';
}
