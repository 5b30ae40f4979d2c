import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { documentedAccess } from '../../local/brokers/accounts.ts';
import { startBroker } from '../../local/brokers/broker.ts';
import { createAuthority, createServerCredential } from '../../local/machine/certificates.ts';
import { type Run, writeRun } from '../../local/stack/run-file.ts';

const accountsKey = 'key';
const authority = createAuthority(new Date());
const credential = createServerCredential(authority, new Date());
const openBroker = (port: number) =>
  startBroker({ port: 0, secure: { port, credential }, access: documentedAccess(accountsKey) });
let dataDir: string;
let child: ChildProcess;
let output: string;
/** Requests of the API and of the issuer, and whether the API knows the camera. */
let asked: string[];
let isKnown: boolean;
let service: Server;

beforeEach(async () => {
  [output, asked, isKnown] = ['', [], false];
  dataDir = mkdtempSync(join(tmpdir(), 'watchpost-camera-'));
  service = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const isToken = request.url?.includes('token') === true;
    response.writeHead(isToken || isKnown ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isToken ? { access_token: 'token' } : {}));
  });
  writeFileSync(join(dataDir, 'ca.pem'), authority.certificate);
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  child.kill('SIGKILL');
  service.closeAllConnections();
  service.close();
  rmSync(dataDir, { recursive: true });
});

/** Starts the command beside a broker that is expected on this port. */
function startCamera(port: number): void {
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const run: Partial<Run> = {
    baseUrl: address,
    issuer: address,
    mqttsUrl: `mqtts://127.0.0.1:${port}`,
    caFile: join(dataDir, 'ca.pem'),
    accountsKey,
    guardianFolder: join(dataDir, 'guardians'),
    timeScale: 1,
    reportPeriodMs: 60_000,
    pids: { main: process.pid },
  };
  writeRun(dataDir, run as Run);
  child = spawn(process.execPath, ['local/camera.ts', '--id', 'cam-x', '--data-dir', dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
}
const patience = { timeout: 30_000, interval: 20 };

test('a camera that is started without a broker says so, and connects when there is one', async () => {
  const first = await openBroker(0);
  const port = first.securePort ?? 0;
  await first.stop();
  startCamera(port);
  await expect
    .poll(() => output, patience)
    .toMatch(/cam-x is not connected, and tries again until it is: .*ECONNREFUSED/);
  await expect.poll(() => output, patience).toContain('connects again');
  const second = await openBroker(port);
  await expect.poll(() => output, patience).toContain('sent devices/cam-x/status');
  await second.stop();
});

test('its guardian is enrolled once, when the service knows the camera', async () => {
  const broker = await openBroker(0);
  startCamera(broker.securePort ?? 0);
  const looks = () => asked.filter((request) => request === 'GET /v1/devices/cam-x').length;
  await expect.poll(looks, patience).toBe(2);
  expect(asked.filter((request) => request.startsWith('PUT'))).toEqual([]);
  isKnown = true;
  await expect.poll(() => output, patience).toContain('guardian.started');
  expect(asked.filter((request) => request.startsWith('PUT'))).toEqual(['PUT /v1/devices/cam-x/guardian-key']);
  await broker.stop();
});
