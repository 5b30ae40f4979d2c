import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { createAuthority, createServerCredential } from '../../../local/machine/certificates.ts';
import { freePort } from '../net/free-port.ts';

/** Whether Mosquitto is on PATH. */
export const hasMosquitto = spawnSync('mosquitto', ['-h']).error === undefined;

type Forward = { port: number; user: string; password: string };
export type Mosquitto = { url: string; caFile: string; start(): Promise<void>; stop(): Promise<void> };

/**
 * Prepares Mosquitto as a third-party broker with TLS, whose sessions and messages survive restarts.
 * @param forwardTo the local broker to which its bridge forwards the messages of one device, and the account there
 */
export async function prepareMosquitto(folder: string, forwardTo: Forward | null = null): Promise<Mosquitto> {
  const path = (name: string) => join(folder, name);
  const authority = createAuthority(new Date());
  const credential = createServerCredential(authority, new Date());
  writeFileSync(path('authority.pem'), authority.certificate);
  writeFileSync(path('server.pem'), credential.certificate);
  writeFileSync(path('server-key.pem'), credential.key);
  const port = await freePort();
  const settings = [
    `listener ${port} 127.0.0.1`,
    `certfile ${path('server.pem')}`,
    `keyfile ${path('server-key.pem')}`,
    'allow_anonymous true',
    `user ${userInfo().username}`,
    'persistence true',
    `persistence_location ${folder}/`,
    'max_queued_messages 0',
    ...(forwardTo === null ? [] : bridgeTo(forwardTo)),
  ];
  writeFileSync(path('mosquitto.conf'), `${settings.join('\n')}\n`);
  let end: (() => Promise<void>) | null = null;
  return {
    url: `mqtts://127.0.0.1:${port}`,
    caFile: path('authority.pem'),
    async start() {
      const child = spawn('mosquitto', ['-c', path('mosquitto.conf')], { stdio: 'ignore' });
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      end = () => {
        child.kill('SIGTERM');
        return ended;
      };
      while (!(await isListening(port))) {
        if (child.exitCode !== null) throw new Error(`mosquitto ended with ${child.exitCode}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async stop() {
      await end?.();
      end = null;
    },
  };
}

function bridgeTo({ port, user, password }: Forward): string[] {
  return [
    'connection onwards',
    `address 127.0.0.1:${port}`,
    `topic devices/${user}/# out 1`,
    `remote_username ${user}`,
    `remote_password ${password}`,
    'bridge_protocol_version mqttv311',
    'try_private false',
    'notifications false',
    'restart_timeout 1',
  ];
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
