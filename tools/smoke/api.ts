/** The service as a client with one token calls it. @throws Error that says what was asked and how it was refused */
export type Api = { call(method: string, path: string, body?: object): Promise<unknown> };

const answerLimitMs = 30_000;

export function apiAt(base: string, token: string): Api {
  return {
    async call(method, path, body) {
      const response = await fetch(new URL(path, base), {
        method,
        headers: { Authorization: `Bearer ${token}`, ...(body ? { 'Content-Type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(answerLimitMs),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text.slice(0, 500)}`);
      return text ? JSON.parse(text) : null;
    },
  };
}
