import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

/** The folder of the peers, the other products that we are compared with. They are no dependencies, so it is not part of the project. */
const folder = resolve('test-output/peers');
const packages = { bullmq: '6.7.0', ioredis: '5', 'graphile-worker': '0.17.3' };
const installMs = 240_000;

export type PeerName = 'BullMQ' | 'graphile-worker' | 'Alertmanager';

/** The program that each needs, and Debian's package of it. */
const needs: Record<PeerName, { program: string; debian: string; npm: string | null }> = {
  BullMQ: { program: 'redis-server', debian: 'redis-server', npm: 'bullmq' },
  'graphile-worker': { program: 'initdb', debian: 'postgresql', npm: 'graphile-worker' },
  Alertmanager: { program: 'prometheus-alertmanager', debian: 'prometheus-alertmanager', npm: null },
};

/**
 * Prepares a peer: installs its npm package into the folder, and its program with apt if we are root.
 * @returns the path of its program, or why the peer is left out
 */
export function installPeer(name: PeerName): { program: string } | { missing: string } {
  const { program, debian, npm } = needs[name];
  if (npm !== null && !Object.keys(packages).every((each) => existsSync(join(folder, 'node_modules', each)))) {
    mkdirSync(folder, { recursive: true });
    const wanted = Object.entries(packages).map(([each, version]) => `${each}@${version}`);
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...wanted];
    const { status } = spawnSync('npm', args, { stdio: 'ignore', timeout: installMs });
    if (status !== 0) return { missing: `${name} is left out: npm could not install ${npm}` };
  }
  const found = find(program) ?? (installByApt(debian) ? find(program) : null);
  if (found) return { program: found };
  return { missing: `${name} is left out: ${program} is not here (Debian's package ${debian})` };
}

/** Loads a peer's npm package from the folder. */
export function requirePeer<T>(name: string): T {
  return createRequire(join(folder, 'package.json'))(name) as T;
}

/** A folder for a peer's data and settings. */
export function peerFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}

function find(program: string): string | null {
  const postgres = '/usr/lib/postgresql';
  const versions = existsSync(postgres) ? readdirSync(postgres).sort().reverse() : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(':'),
    '/usr/sbin',
    ...versions.map((version) => join(postgres, version, 'bin')),
  ];
  return folders.map((path) => join(path, program)).find((path) => existsSync(path)) ?? null;
}

function installByApt(debian: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const run = (...args: string[]) =>
    spawnSync('apt-get', args, { stdio: 'ignore', timeout: installMs, env }).status === 0;
  return run('update') && run('install', '-y', '--no-install-recommends', debian);
}
