import type { callerOf, connectDevice } from './stack.ts';

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export type Device = Awaited<ReturnType<typeof connectDevice>>;
export type Api = ReturnType<typeof callerOf>;

/** Repeats a message, as a camera reports each minute. */
export function repeating(everyMs: number, say: () => Promise<void>): { stop(): void } {
  let isOver = false;
  void (async () => {
    while (!isOver) {
      await say().catch(() => {});
      await pause(everyMs);
    }
  })();
  return {
    stop() {
      isOver = true;
    },
  };
}

export const codesOf = async (api: Api, deviceId: string, status = 'all'): Promise<string[]> => {
  const { body } = await api.get(`/v1/devices/${deviceId}/alerts?status=${status}`);
  // An unregistered camera has no alerts.
  return (body.alerts ?? []).map(({ code }: { code: string }) => code);
};
export const sightOf = async (api: Api) => (await api.get('/v1/fleet')).body.platform.state;
export const well = { memory: { usedPercent: 20 } };

export async function close(...devices: Device[]): Promise<void> {
  for (const { client } of devices) await client.endAsync(true).catch(() => {});
}
