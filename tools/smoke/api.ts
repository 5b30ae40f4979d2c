import { createClient } from '../../sdk/typescript/src/index.ts';

/**
 * An API client with one token.
 * @throws Error with the request and the reason of its refusal
 */
export type Api = { call(method: string, path: string, body?: object): Promise<unknown> };

/** No retries: a hop that failed once counts as broken. */
export function apiAt(baseUrl: string, token: string): Api {
  const client = createClient({ baseUrl, token, retries: { attempts: 1 } });
  return {
    async call(method, path, body) {
      const asked = client.request<unknown>(method, path, body ? { body } : {});
      const { data } = await asked.catch((cause: Error) => {
        throw new Error(`${method} ${path}: ${cause.message}`, { cause });
      });
      return data;
    },
  };
}
