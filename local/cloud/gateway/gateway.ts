import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type Service, sendJson, serveHttp } from '../../machine/http-server.ts';
import { type ConsoleConfig, consoleHeaders } from './console-headers.ts';
import { readStaticFile } from './static-files.ts';

export type GatewayConfig = {
  port: number;
  apiPort: number;
  probesPort: number;
  /** The folder of the built console. Where it is missing, a page explains what is available. */
  consoleFolder: string;
  consoleConfig: ConsoleConfig;
};

/** Headers that concern one connection (RFC 9110, 7.6.1). */
const hopByHop = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** Other versions and spellings of the API's paths too, so that its own problem answers them. */
const ofApi = /^\/(?:v\d+(?:\/|$)|t\/|metrics$|mcp$)/i;

/**
 * The one public address: `/v1`, `/metrics`, `/mcp` and the links of messages (`/t/`) are the API, `/health` and
 * `/ready` are the probes, the rest are files and pages of the console, or nothing.
 */
export function startGateway(config: GatewayConfig): Promise<Service> {
  const agent = new Agent({ keepAlive: true });
  return serveHttp((incoming, response) => {
    const path = (incoming.url ?? '/').split('?', 1)[0] ?? '/';
    if (ofApi.test(path)) forward('api', config.apiPort, agent, incoming, response);
    else if (path === '/health' || path === '/ready') forward('probes', config.probesPort, agent, incoming, response);
    else if (path === '/config.json') sendJson(response, 200, config.consoleConfig);
    else sendConsole(config, path, incoming, response);
  }, config.port);
}

/** Streams in both directions. When the client or the function breaks off, the other side ends too. */
function forward(name: string, port: number, agent: Agent, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url: path, headers: sent, socket } = incoming;
  const headers: IncomingMessage['headers'] = {
    ...sent,
    'x-forwarded-for': [sent['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', '),
    'x-forwarded-proto': 'http',
    'x-forwarded-host': sent.host,
  };
  for (const header of hopByHop) delete headers[header];
  // A body without a length is chunked and is forwarded in chunks. Without either header there is no body.
  if (sent['transfer-encoding']) headers['transfer-encoding'] = 'chunked';
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent } as object, (answer) => {
    for (const header of hopByHop) delete answer.headers[header];
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.headers);
    response.flushHeaders();
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  outgoing.on('error', () => {
    if (response.headersSent) response.destroy();
    else sendUnreachable(response, name);
  });
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

function sendUnreachable(response: ServerResponse, name: string): void {
  const detail = `The function ${name} does not answer.`;
  const problem = { type: 'about:blank', title: 'Bad Gateway', status: 502, code: 'bad-gateway', detail };
  response.writeHead(502, { 'Content-Type': 'application/problem+json', 'Retry-After': '1' });
  response.end(JSON.stringify(problem));
}

function sendConsole(
  { consoleFolder, consoleConfig }: GatewayConfig,
  path: string,
  { method }: IncomingMessage,
  response: ServerResponse,
): void {
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD', 'Content-Type': 'text/plain' }).end('The console is read by GET.\n');
    return;
  }
  const file = readStaticFile(consoleFolder, path);
  if (file) {
    response.writeHead(200, { ...consoleHeaders(consoleConfig), ...file.headers });
    response.end(method === 'GET' ? file.bytes : undefined);
  } else if (path === '/') {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(method === 'GET' ? welcome : undefined);
  } else {
    const page = readStaticFile(consoleFolder, '/404.html');
    const headers = page?.headers ?? { 'Content-Type': 'text/plain' };
    response.writeHead(404, { ...consoleHeaders(consoleConfig), ...headers });
    response.end(method === 'GET' ? (page?.bytes ?? 'There is nothing here.\n') : undefined);
  }
}

const welcome = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Watchpost</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }</style>
<h1>Watchpost runs</h1>
<p>The console is not built yet: <code>npm run build</code> makes it, and this address will show it.</p>
<ul>
  <li><a href="/health">/health</a> and <a href="/ready">/ready</a>: the probes</li>
  <li><a href="/v1/openapi.json">/v1/openapi.json</a>: the API</li>
  <li><code>npm run token</code> prints a token for it</li>
</ul>
</html>
`;
