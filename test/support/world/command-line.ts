import type { View } from '../../../cli/src/output.ts';
import { run } from '../../../cli/src/run.ts';
import type { Runtime } from '../../../sdk/typescript/src/index.ts';

/** Runs the command line against an API in this process. */
export function commandLineOf(api: {
  fetch: (request: Request) => Response | Promise<Response>;
  issuer: { token(): Promise<string> };
  world?: { now(): string };
}) {
  const asked: string[] = [];
  const runtime: Partial<Runtime> = {
    fetch: async (url, init) => {
      asked.push(`${init.method} ${new URL(url).pathname}`);
      return api.fetch(new Request(url, init));
    },
    pause: () => Promise.resolve(),
    ...(api.world ? { nowMs: () => Date.parse(api.world?.now() ?? '') } : {}),
  };
  return {
    /** All requests of the commands so far. */
    asked,
    async run(
      args: readonly string[],
      given: { env?: Record<string, string | undefined>; input?: string; signal?: AbortSignal; view?: View } = {},
    ) {
      const said = { status: 0, out: '', err: '' };
      said.status = await run(args, {
        env: { WATCHPOST_URL: 'http://localhost:8080', WATCHPOST_TOKEN: await api.issuer.token(), ...given.env },
        out: (text) => {
          said.out += text;
        },
        err: (text) => {
          said.err += text;
        },
        readInput: async () => given.input ?? '',
        signal: given.signal ?? new AbortController().signal,
        view: given.view ?? { hasColour: false, timeZone: 'UTC' },
        runtime,
      });
      return said;
    },
  };
}
