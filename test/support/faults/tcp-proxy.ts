import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on 127.0.0.1 that can disturb connections. */
export type TcpProxy = {
  port: number;
  /**
   * Cuts every connection, like a network failure.
   * @returns their number
   */
  cut(): number;
  /** Holds data in one direction until `release`. */
  hold(direction: Direction): void;
  release(): void;
  /** Stalls the existing connections in both directions, without a signal to either side. New connections work. */
  strand(): void;
  /** Cuts every connection, and forwards new ones to this port, even if nothing listens there. */
  lead(port: number): void;
  /** Number of connections so far. */
  connections(): number;
  stop(): Promise<void>;
};
type Direction = 'to-server' | 'to-client';
type Link = Record<Direction, Socket>;

/** A proxy on a free port. */
export async function startTcpProxy(serverPort: number): Promise<TcpProxy> {
  const links = new Set<Link>();
  const held = new Set<Direction>();
  let count = 0;
  let leadsTo = serverPort;
  const cut = () => {
    const cutNow = links.size;
    for (const link of links) link['to-server'].resetAndDestroy();
    return cutNow;
  };
  const server = createServer((client) => {
    count += 1;
    const upstream = connect(leadsTo, '127.0.0.1');
    const link: Link = { 'to-server': client, 'to-client': upstream };
    links.add(link);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        links.delete(link);
      });
    }
    for (const direction of held) stall(link, direction);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    lead(port) {
      leadsTo = port;
      cut();
    },
    hold(direction) {
      held.add(direction);
      for (const link of links) stall(link, direction);
    },
    release() {
      held.clear();
      for (const link of links) for (const direction of directions) flow(link, direction);
    },
    strand() {
      for (const link of links) for (const direction of directions) stall(link, direction);
    },
    connections: () => count,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const link of links) link['to-server'].destroy();
      }),
  };
}

const directions: readonly Direction[] = ['to-server', 'to-client'];
const opposite = { 'to-server': 'to-client', 'to-client': 'to-server' } as const;

function stall(link: Link, direction: Direction): void {
  link[direction].unpipe();
  link[direction].pause();
}

function flow(link: Link, direction: Direction): void {
  link[direction].unpipe();
  link[direction].pipe(link[opposite[direction]]);
}
