import { startAlertmanager } from '../peers/alertmanager.ts';
import { startBullMq } from '../peers/bullmq.ts';
import { startGraphileWorker } from '../peers/graphile-worker.ts';
import { installPeer, type PeerName } from '../peers/install.ts';
import type { Target, Way } from './way.ts';

export type Opened = { ways: Way[]; missing: string[] };

const start: Record<PeerName, (program: string, target: Target) => Promise<Way>> = {
  BullMQ: startBullMq,
  'graphile-worker': startGraphileWorker,
  // Each event is a group, so it is sent at once.
  Alertmanager: (program, target) => startAlertmanager(program, target, 'event'),
};

/** Starts the peers that are installed or can be installed. `missing` says why the others are left out. */
export async function openPeers(names: readonly PeerName[], target: Target): Promise<Opened> {
  const opened: Opened = { ways: [], missing: [] };
  for (const name of names) {
    const found = installPeer(name);
    if ('missing' in found) opened.missing.push(found.missing);
    else {
      try {
        opened.ways.push(await start[name](found.program, target));
      } catch (error) {
        opened.missing.push(`${name} is left out: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
  return opened;
}

/** What a reader must know about the peers, for a note. */
export function aboutAll({ ways, missing }: Opened): string {
  return [...ways.map(({ name, about }) => `${name}: ${about}`), ...missing].map((line) => `; ${line}`).join('');
}
