import { connect as connectTcp, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { createWebSocketStream, WebSocket } from 'ws';

/** Where a broker is, and what TLS needs: PEM texts. Null: the authorities of the system; no certificate of our own; no ALPN. */
export type Address = {
  url: URL;
  ca: string | null;
  certificate: { certificate: string; key: string } | null;
  alpn: string | null;
};

const defaultPorts: Record<string, number> = { 'mqtt:': 1883, 'mqtts:': 8883, 'ws:': 80, 'wss:': 443 };

/** Opens the stream under an MQTT connection: TCP, TLS or a websocket. */
export function openTransport({ url, ca, certificate, alpn }: Address): Duplex {
  const target = {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (defaultPorts[url.protocol] ?? 0),
  };
  const tls = {
    minVersion: 'TLSv1.2' as const,
    ...(ca === null ? {} : { ca }),
    ...(certificate === null ? {} : { cert: certificate.certificate, key: certificate.key }),
  };
  switch (url.protocol) {
    case 'ws:':
    case 'wss:': {
      const plain = new URL(url);
      plain.username = '';
      plain.password = '';
      return createWebSocketStream(new WebSocket(plain, 'mqtt', { perMessageDeflate: false, ...tls }));
    }
    case 'mqtts:':
      return connectTls({
        ...target,
        // TLS has no name for an address.
        ...(isIP(target.host) ? {} : { servername: target.host }),
        ...tls,
        ...(alpn === null ? {} : { ALPNProtocols: [alpn] }),
      });
    default:
      return connectTcp(target);
  }
}
