import { afterAll, expect, test } from 'vitest';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { chatKinds } from '../../shared/schema/vocabulary.ts';
import { draftOf } from '../support/handoff/receivers.ts';
import { createOutbox, phone } from '../support/notify/outbox.ts';
import { isInert, readers } from '../support/notify/readers.ts';
import { textLies } from '../support/records/lies.ts';
import { message } from '../support/records/reports.ts';
import { score } from '../support/score/score.ts';
import { frames } from '../support/world/frames.ts';
import { createTestWorld, type TestWorld } from '../support/world/world.ts';

// S13: a camera has links and markup in its name and its reasons. The bytes that the real sender of each channel sends must treat them as text.

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
let tried = 0;
afterAll(() => score('S13', 'messages about a camera that lies in its name and reasons', tried, 0));

/** Reports a failed certificate of a camera with this name, for this reason. @returns all that was sent: mails, requests and hand-offs */
async function notifiedOf(name: string, reason: string) {
  const world = createTestWorld();
  const outbox = await createOutbox(world);
  await takeMessage(world, message('status', { memory: { usedPercent: 40 } }), intake);
  await nameIt(world, name);
  await takeMessage(
    world,
    message('event', { type: 'certificate_validation_failed', timestamp: world.now(), reason }),
    intake,
  );
  await outbox.post.pass(120);
  return outbox;
}

/** Stores the name directly, as if a person had given it before texts were validated. */
async function nameIt({ store }: TestWorld, name: string): Promise<void> {
  const [stored] = await store.get('devices', ['cam-1']);
  if (!stored) throw new Error('cam-1 is not there');
  const data = { ...stored.data, name, setByHand: ['name' as const] };
  await store.commit([{ kind: 'replace', in: 'devices', id: 'cam-1', data, revision: stored.revision }]);
}

const isForeign = (link: string) => !link.startsWith('https://console.example.com/');

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test.each(textLies)('%j stays plain text in every message that is sent', async (lie) => {
  const isOneLine = !/[\n\u200b\u202e]/.test(lie);
  const { mails, requests, handedOver } = await notifiedOf(lie, isOneLine ? lie : 'revoked');
  const bodies = (host: string) =>
    requests.flatMap(({ url, body }) => (new URL(url).host === host ? [String(body)] : []));
  for (const { delivery } of mails) expect(readers.email(delivery.body).filter(isForeign)).toEqual([]);
  for (const kind of chatKinds) {
    const sent = bodies(`${kind}.chat.test`);
    expect([kind, sent.length]).toEqual([kind, 1]);
    for (const body of sent) expect(readers[kind](body).filter(isForeign)).toEqual([]);
  }
  const forms = bodies('sms.test').map((body) => new URLSearchParams(body));
  expect(forms.map((form) => [form.getAll('To'), form.getAll('From')])).toEqual([[[phone], ['+1']]]);
  for (const form of forms) expect(readers.sms(form.get('Body') ?? '').filter(isForeign)).toEqual([]);
  // Every hand-off product accepts the request and finds no link in it except ours.
  expect(handedOver.map(({ kind, answer }) => [kind, answer.failure])).toEqual(
    Object.keys(draftOf).map((kind) => [kind, null]),
  );
  for (const { kind, request } of handedOver) {
    const texts = textsIn(JSON.parse(String(request.body)));
    for (const text of texts) isInert(text.replaceAll(/https:\/\/console\.example\.com\/alerts\/[\w-]+/g, ''));
    expect([kind, texts.some((text) => text.includes('ertificate'))]).toEqual([kind, true]);
    tried += 1;
  }
  // A webhook contains the text unchanged in its JSON body, and never in a header.
  const events = requests.filter(({ url }) => url === 'https://hooks.test/');
  expect(events).toHaveLength(1);
  for (const { headers, body } of events) {
    expect(textsIn(JSON.parse(String(body))).some((text) => text.includes(isOneLine ? lie : 'revoked'))).toBe(true);
    expect(Object.values(headers).filter((value) => !/^[\x20-\x7e]*$/.test(value) || value.includes(lie))).toEqual([]);
  }
  tried += mails.length + requests.length;
});

test('a report whose name or reason has invisible characters opens its alert, shows them as codes, and is noted', async () => {
  for (const lie of textLies.filter((text) => /[\u200b\u202e]/.test(text))) {
    const world = createTestWorld();
    await takeMessage(world, message('status', { name: lie, memory: { usedPercent: 40 } }), intake);
    await takeMessage(
      world,
      message('event', { type: 'certificate_validation_failed', timestamp: world.now(), reason: lie }),
      intake,
    );
    expect(await world.store.count({ in: 'quarantine' })).toBe(2);
    const [alert] = await world.store.find({ in: 'alerts', limit: 2 });
    expect([alert?.data.code, alert?.data.deviceName, alert?.data.context.reason]).toEqual([
      ...['SEC_001', 'a<U+202E>gpj.exe<U+200B>', 'a<U+202E>gpj.exe<U+200B>'],
    ]);
  }
});
