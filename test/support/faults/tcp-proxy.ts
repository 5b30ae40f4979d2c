import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server on 127.0.0.1, and can come between them. */
export type TcpProxy = {
  port: number;
  /** Cuts every connection, as a network that fails would. @returns how many */
  cut(): number;
  /** What goes in the named direction waits, until `release`. */
  hold(direction: Direction): void;
  release(): void;
  /** Connections ever made. */
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
  const server = createServer((client) => {
    count += 1;
    const upstream = connect(serverPort, '127.0.0.1');
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
    cut() {
      const cut = links.size;
      for (const link of links) link['to-server'].resetAndDestroy();
      return cut;
    },
    hold(direction) {
      held.add(direction);
      for (const link of links) stall(link, direction);
    },
    release() {
      held.clear();
      for (const link of links) for (const direction of directions) flow(link, direction);
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
