import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { createAuthority, createServerCredential } from '../../../local/machine/certificates.ts';
import { freePort } from '../net/free-port.ts';

/** Whether Alertmanager is on PATH. */
export const hasAlertmanager = spawnSync('prometheus-alertmanager', ['--version']).error === undefined;

/** An active alert as Alertmanager's API returns it. */
type Active = { labels: Record<string, string>; status: { state: string }; endsAt: string; startsAt: string };
export type Alertmanager = {
  url: string;
  certificate: string;
  active(): Promise<Active[]>;
  stop(): Promise<void>;
};

/** A real Alertmanager on loopback with TLS. It notifies nobody. */
export async function startAlertmanager(folder: string): Promise<Alertmanager> {
  const path = (name: string) => join(folder, name);
  const authority = createAuthority(new Date());
  const credential = createServerCredential(authority, new Date());
  writeFileSync(path('server.pem'), credential.certificate);
  writeFileSync(path('server-key.pem'), credential.key);
  writeFileSync(
    path('web.yml'),
    `tls_server_config:\n  cert_file: ${path('server.pem')}\n  key_file: ${path('server-key.pem')}\n`,
  );
  writeFileSync(path('alertmanager.yml'), 'route:\n  receiver: nobody\nreceivers:\n  - name: nobody\n');
  const port = await freePort();
  const child = spawn(
    'prometheus-alertmanager',
    [
      `--config.file=${path('alertmanager.yml')}`,
      `--web.config.file=${path('web.yml')}`,
      `--storage.path=${path('data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const ask = (route: string) =>
    new Promise<string>((resolve, reject) => {
      const asking = request({ host: 'localhost', port, path: route, ca: authority.certificate }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => resolve(Buffer.concat(parts).toString()));
      });
      asking.on('error', reject);
      asking.end();
    });
  for (;;) {
    if (child.exitCode !== null || child.pid === undefined) throw new Error('Alertmanager does not run');
    if ((await ask('/-/ready').catch(() => '')) === 'OK') break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url: `https://localhost:${port}`,
    certificate: authority.certificate,
    active: async () => JSON.parse(await ask('/api/v2/alerts?active=true')),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
