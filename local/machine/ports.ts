import { createServer } from 'node:net';

/** The services in the order of their ports: `gateway` has the base port, `api` the next one, and so on. */
export const portNames = [
  'gateway',
  'api',
  'probes',
  'mqtt',
  'ingest',
  'deliver',
  'deadline',
  'firestore',
  'pubsub',
  'tasks',
  'storage',
  'issuer',
  'inbox',
  'inboxTls',
  'smtp',
  'receiver',
  'receiverControl',
  'mqttTls',
  'bridge',
] as const;
export type PortName = (typeof portNames)[number];
export type Ports = Record<PortName, number>;

/** The port of a killed run may take this long to become free. */
const patienceMs = 3000;

export function portsFrom(base: number): Ports {
  return Object.fromEntries(portNames.map((name, index) => [name, base + index])) as Ports;
}

/** Ports from 1024 on that fetch and browsers refuse (Fetch standard, "bad port"). */
const refusedByFetch: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);

/** Names the ports that clients refuse to call over HTTP: `10080 (issuer)`. */
export function portsRefused(ports: Ports): string[] {
  return portNames.filter((name) => refusedByFetch.has(ports[name])).map((name) => `${ports[name]} (${name})`);
}

/** Free ports are searched between these two, below the range that systems use for outgoing connections. */
const lowest = 10_000;
const highest = 30_000;

/** Ports in a row that are free at this moment. */
export async function freePorts(): Promise<Ports> {
  for (;;) {
    const ports = portsFrom(lowest + Math.floor(Math.random() * (highest - lowest)));
    if (portsRefused(ports).length > 0) continue;
    const areFree = await Promise.all(Object.values(ports).map(isFree));
    if (areFree.every(Boolean)) return ports;
  }
}

/** Names the ports that are in use by other programs: `8083 (mqtt)`. */
export async function portsInUse(ports: Ports, names: readonly PortName[]): Promise<string[]> {
  const deadline = Date.now() + patienceMs;
  const taken = await Promise.all(
    names.map(async (name) => {
      while (!(await isFree(ports[name]))) {
        if (Date.now() > deadline) return [`${ports[name]} (${name})`];
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return [];
    }),
  );
  return taken.flat();
}

async function isFree(port: number): Promise<boolean> {
  try {
    const server = await listen(port);
    await new Promise((resolve) => server.close(resolve));
    return true;
  } catch {
    return false;
  }
}

function listen(port: number): Promise<ReturnType<typeof createServer>> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
