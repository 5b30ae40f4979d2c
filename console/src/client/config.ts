/** The settings of an installation, served as a file beside the static files. */
export type RuntimeConfig = {
  /** OpenID issuer that signs operators in. */
  issuer: string;
  clientId: string;
  /** Audience that the access tokens must name. */
  audience: string;
  /** Requested scopes of the API, as the issuer names them. Default: all, by their plain names. */
  scopes?: string[];
};

/** @throws Error in words for the operator */
export async function loadConfig(): Promise<RuntimeConfig> {
  const response = await fetch('/config.json', { cache: 'no-cache' }).catch(() => null);
  if (!response?.ok) throw new Error('The console’s settings (/config.json) cannot be read.');
  const config = (await response.json().catch(() => null)) as Partial<RuntimeConfig> | null;
  if (!config?.issuer || !config.clientId || !config.audience) {
    throw new Error('The console’s settings (/config.json) lack issuer, clientId or audience.');
  }
  return config as RuntimeConfig;
}
