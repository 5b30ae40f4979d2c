import type { Received } from '../../../local/cloud/receiver/server.ts';
import type { Stack } from '../../../local/stack/stack.ts';

/** The webhook receiver of a stack, as a test sees it. */
export function receiverOf({ run }: Stack) {
  const control = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${run.receiverControlUrl}${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`the receiver answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  return {
    urlOf: (hook: string) => `${run.receiverUrl}/${hook}`,
    configure: (hook: string, given: object) => control('PUT', `/hooks/${hook}`, given),
    forget: () => control('DELETE', '/received'),
    /** Requests to one hook or to all, earliest first. */
    async seen(hook?: string): Promise<Received[]> {
      const { received } = (await control('GET', `/received${hook ? `?hook=${hook}` : ''}`)) as {
        received: Received[];
      };
      return received;
    },
  };
}
