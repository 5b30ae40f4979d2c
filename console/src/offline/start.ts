/** Path of the worker, at the top so that it serves the whole console. */
const path = '/offline.js';

type Policies = { createPolicy(name: string, rules: { createScriptURL(url: string): string }): Rules };
type Rules = { createScriptURL(url: string): string };

/** Lets the console open without a network. Without a worker it still works: some browsers have none in private windows. */
export async function startOffline(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const { trustedTypes } = globalThis as { trustedTypes?: Policies };
  // The page's policy (Trusted Types) accepts script addresses only from these rules, and they return only this path.
  const rules: Rules = { createScriptURL: () => path };
  const url = (trustedTypes?.createPolicy('watchpost-offline', rules) ?? rules).createScriptURL(path);
  await navigator.serviceWorker.register(url, { updateViaCache: 'none' }).catch(() => {});
}
