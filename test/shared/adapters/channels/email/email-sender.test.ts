import { gzipSync } from 'node:zlib';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createEmailSender } from '../../../../../shared/adapters/channels/email/email-sender.ts';
import { createMemoryStore } from '../../../../../shared/adapters/memory/store.ts';
import type { Sender } from '../../../../../shared/app/ports.ts';
import { type Attached, attachmentParts } from '../../../../../shared/domain/attachment.ts';
import { type Delivery, newDelivery } from '../../../../../shared/domain/delivery/delivery.ts';
import { uuidOf } from '../../../../support/records/alerts.ts';
import { startOfTests } from '../../../../support/world/world.ts';

const store = createMemoryStore(() => Date.parse(startOfTests));
const received: string[] = [];
/** What the server does after it has received a complete mail. */
let ending: 'takes it' | 'takes it and is gone' = 'takes it';
let server: SMTPServer;
let sender: Sender;

beforeAll(async () => {
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push(Buffer.concat(chunks).toString('latin1'));
        if (ending === 'takes it') return done();
        for (const each of server.connections) if (each.id === session.id) each._socket.destroy();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  sender = createEmailSender({ smtpUrl: `smtp://127.0.0.1:${port}`, from: 'Watchpost <w@example.com>', store });
});
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
beforeEach(() => {
  received.length = 0;
  ending = 'takes it';
});

const body = JSON.stringify({ subject: 'Availability', text: 'See the file.', html: '<p>See the file.</p>' });
function mail(attached?: Attached[]): Delivery {
  const target = { kind: 'email', team: 'Harbour', address: 'owner@example.com' } as const;
  const event = { eventType: 'report', eventId: 'e', alertId: null, deviceId: null, groupId: null };
  const seed = {
    ...event,
    deliveryId: uuidOf(1),
    channel: 'email' as const,
    target,
    targetName: 'owner',
    maxAttempts: 5,
  };
  return { ...newDelivery({ ...seed, body }, startOfTests), ...(attached ? { attached } : {}) };
}

test('a mail contains its complete files, even if a file is stored in parts', async () => {
  const bytes = Buffer.from(Array.from({ length: 900_000 }, (_, index) => (index * index * 31) >>> 5));
  const parts = attachmentParts('f', gzipSync(bytes, { level: 0 }).toString('base64'), startOfTests);
  expect(parts).toHaveLength(2);
  await store.commit(parts.map((data) => ({ kind: 'create', in: 'attachments', id: data.attachmentId, data })));
  const file = {
    name: 'availability-2026-11.pdf',
    media: 'application/pdf',
    parts: parts.map((part) => part.attachmentId),
  };
  expect(await sender.send(mail([file]), 1, null)).toMatchObject({ errorClass: null, statusCode: 250 });
  const [text = ''] = received;
  expect(text).toContain('Content-Disposition: attachment; filename=availability-2026-11.pdf');
  const [, content = ''] = /Content-Type: application\/pdf[\s\S]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(text) ?? [];
  expect(Buffer.from(content, 'base64').equals(bytes)).toBe(true);
});

test('a mail is not sent without its file if that was erased or has expired', async () => {
  const outcome = await sender.send(mail([{ name: 'a.pdf', media: 'application/pdf', parts: ['gone-0'] }]), 1, null);
  expect([outcome, received]).toEqual([
    expect.objectContaining({ detail: 'Its file is kept no longer.', isRetryable: false }),
    [],
  ]);
});

test('if the server disconnects before its answer, only a mail without files is retried', async () => {
  ending = 'takes it and is gone';
  expect(await sender.send(mail(), 1, null)).toMatchObject({ errorClass: 'connection_reset', isRetryable: true });
  expect(await sender.send(mail([]), 1, null)).toMatchObject({
    errorClass: 'connection_reset',
    isRetryable: false,
    detail: expect.stringContaining('may have arrived'),
  });
  expect(received).toHaveLength(2);
});

test('if no server is reached, a mail with files is retried', async () => {
  const unreached = createEmailSender({ smtpUrl: 'smtp://127.0.0.1:1', from: 'w@example.com', store });
  expect(await unreached.send(mail([]), 1, null)).toMatchObject({
    errorClass: 'connection_refused',
    isRetryable: true,
  });
});
