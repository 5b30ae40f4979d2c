import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { createAuthority, createServerCredential } from '../../../local/machine/certificates.ts';
import { freePort } from '../net/free-port.ts';

export type DocumentedMosquitto = {
  url: string;
  port: number;
  caFile: string;
  /** Its process. */
  pid(): number;
  stop(): Promise<void>;
};

const lists = new URL('../../../local/brokers/lists/', import.meta.url);

/** The password of an account at it. */
export function passwordAt(user: string): string {
  return `of ${user}`;
}

/** Starts Mosquitto with our example files, certificates made for this run, and these accounts. */
export async function startDocumentedMosquitto(users: readonly string[]): Promise<DocumentedMosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'mosquitto-list-'));
  const path = (name: string) => join(folder, name);
  const authority = createAuthority(new Date());
  const { certificate, key } = createServerCredential(authority, new Date());
  const port = await freePort();
  const settings = readFileSync(new URL('mosquitto.conf', lists), 'utf8')
    .replaceAll('/etc/mosquitto/', `${folder}/`)
    .replaceAll('/var/lib/mosquitto/', `${folder}/`)
    .replace('listener 8883', `listener ${port} 127.0.0.1`);
  const files = {
    'ca.pem': authority.certificate,
    'server.pem': certificate,
    'server-key.pem': key,
    'mosquitto.acl': readFileSync(new URL('mosquitto.acl', lists), 'utf8'),
    'mosquitto.conf': `${settings}\nuser ${userInfo().username}\n`,
    passwords: '',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path(name), content, { mode: 0o600 });
  for (const user of users) spawnSync('mosquitto_passwd', ['-b', path('passwords'), user, passwordAt(user)]);
  const child = spawn('mosquitto', ['-c', path('mosquitto.conf')], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `mqtts://127.0.0.1:${port}`;
  await untilReady(url, authority.certificate, users[0] ?? '');
  return {
    url,
    port,
    caFile: path('ca.pem'),
    pid: () => child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

async function untilReady(url: string, ca: string, username: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const options = { username, password: passwordAt(username), clientId: username, ca, reconnectPeriod: 0 };
    const client = await connectAsync(url, options).catch(() => null);
    if (client) return client.endAsync();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('mosquitto does not take its settings');
}
