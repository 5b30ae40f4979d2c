import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Client, createClient } from '../../sdk/typescript/src/index.ts';
import type { Given, Terminal } from './command.ts';
import { UsageError } from './usage.ts';

type Login = { url: string; token: string };
type Env = Terminal['env'];

/**
 * Finds the service and the token: in the flags, else in the environment, else in what `watchpost login` stored.
 * @throws UsageError that says what is missing, or which file cannot be read
 */
export function connect(flags: Given, { env, runtime }: Terminal): Client {
  const kept = readLogin(env);
  const url = flags.text('url') ?? env['WATCHPOST_URL'] ?? kept?.url;
  if (!url) throw new UsageError('Which service? Give --url, set WATCHPOST_URL, or sign in with "watchpost login".');
  const tokenFile = flags.text('token-file') ?? (env['WATCHPOST_TOKEN'] ? undefined : env['WATCHPOST_TOKEN_FILE']);
  // A token that was given for one service is never sent to another.
  const keptToken = kept && kept.url === url ? kept.token : undefined;
  const token = tokenFile === undefined ? (env['WATCHPOST_TOKEN'] ?? keptToken) : () => readTokenFile(tokenFile);
  if (!token) throw new UsageError(`No token for ${url}: set WATCHPOST_TOKEN or WATCHPOST_TOKEN_FILE, or sign in.`);
  return clientFor(url, token, runtime);
}

/** @throws UsageError for an invalid address, or one to which no token may be sent */
export function clientFor(url: string, token: string | (() => string), runtime: Terminal['runtime'] = {}): Client {
  if (typeof token === 'function') token();
  try {
    return createClient({ baseUrl: url, token, runtime });
  } catch (error) {
    throw new UsageError(
      `"${url}" cannot be the address of the service: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Read again for each request, because a program that renews tokens writes them there. */
function readTokenFile(path: string): string {
  const token = readText(path).trim();
  if (!isToken(token)) throw new UsageError(`${path} holds no bearer token.`);
  return token;
}

/** Whether a text can be sent as a token in a header. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** @throws UsageError that names the file */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as { code?: string };
    throw new UsageError(`${path} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : code}.`);
  }
}

export function loginFile(env: Env): string {
  const folder =
    env['WATCHPOST_CONFIG_DIR'] ??
    join(env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? homedir(), '.config'), 'watchpost');
  return join(folder, 'login.json');
}

function readLogin(env: Env): Login | null {
  try {
    const { url, token } = JSON.parse(readFileSync(loginFile(env), 'utf8')) as Partial<Login>;
    return typeof url === 'string' && typeof token === 'string' ? { url, token } : null;
  } catch {
    return null;
  }
}

/** Stores the login in a file that only its owner can read. */
export function keepLogin(env: Env, login: Login): void {
  const path = loginFile(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(path, { force: true });
  writeFileSync(path, `${JSON.stringify(login)}\n`, { mode: 0o600 });
}

export function forgetLogin(env: Env): void {
  rmSync(loginFile(env), { force: true });
}
