import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../../machine/http-server.ts';
import type { Messages } from './messages.ts';

/** Accepts chat messages at `/chat/{product}/{room}` as these products do, and text messages at Twilio's path. */
export function createReceivers(messages: Messages, now: () => string) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'https://localhost').pathname;
    const body = await readBody(request);
    const [, product = '', room = ''] = /^\/chat\/(slack|google-chat|teams)\/([\w-]+)$/.exec(path) ?? [];
    const account = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages\.json$/.exec(path)?.[1];
    if (request.method !== 'POST') return sendJson(response, 405, { message: 'Send messages by POST.' });
    const call = { at: now(), request, body, response };
    if (product) return takeChat(messages, product, room, call);
    if (account) return takeSms(messages, account, call);
    sendJson(response, 404, { message: 'There is no such room.' });
  };
}

type ReceiverCall = { at: string; request: IncomingMessage; body: Buffer; response: ServerResponse };

function takeChat(messages: Messages, product: string, room: string, { at, body, response }: ReceiverCall): void {
  const parsed = parse(body);
  const fits = product === 'teams' ? parsed?.['type'] === 'message' : typeof parsed?.['text'] === 'string';
  if (!fits) return sendText(response, 400, 'invalid_payload');
  messages.add({ kind: 'chat', at, product, room, body: parsed });
  if (product === 'google-chat') return sendJson(response, 200, { name: `spaces/${room}/messages/1` });
  sendText(response, product === 'teams' ? 202 : 200, product === 'teams' ? '' : 'ok');
}

function takeSms(messages: Messages, account: string, { at, request, body, response }: ReceiverCall): void {
  const login = Buffer.from(request.headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString();
  if (!login.startsWith(`${account}:`)) return sendJson(response, 401, { code: 20003, message: 'Authenticate' });
  const form = new URLSearchParams(body.toString());
  const [to, from, text] = ['To', 'From', 'Body'].map((name) => form.get(name) ?? '') as [string, string, string];
  if (!/^\+[1-9]\d{6,14}$/.test(to)) return sendJson(response, 400, { code: 21211, message: 'Invalid To' });
  if (text === '' || text.length > 1600) return sendJson(response, 400, { code: 21617, message: 'Invalid Body' });
  messages.add({ kind: 'sms', at, to, from, text, account });
  sendJson(response, 201, { sid: `SM${'0'.repeat(32)}`, status: 'queued', to, from, body: text });
}

function parse(body: Buffer): Record<string, unknown> | null {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(text);
}
