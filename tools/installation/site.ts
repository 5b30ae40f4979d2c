/** What an installation says about itself, as anybody may ask. */
export type Site = {
  /** Whether the API answers a write with 503. */
  refusesWrites(): Promise<boolean>;
  /** What `/ready` calls unhealthy, and its status where it says nothing. Null: nothing. */
  fault(): Promise<string | null>;
};

const timeoutMs = 15_000;

/** @param base address of the service */
export function siteAt(base: string): Site {
  const ask = (path: string, method: 'GET' | 'POST') =>
    fetch(`${base}${path}`, { method, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) }).catch(() => null);
  return {
    refusesWrites: async () => (await ask('/v1/erasures', 'POST'))?.status === 503,
    async fault() {
      const response = await ask('/ready', 'GET');
      if (response?.ok) return null;
      const body = response ? await response.text().catch(() => '') : '';
      return response ? `/ready answered ${response.status} ${body.slice(0, 500)}` : '/ready did not answer';
    },
  };
}
