import { readFileSync } from 'node:fs';
import { type Received, type Receiver, startReceiver } from '../../../local/cloud/receiver/server.ts';
import { verify } from '../../../local/cloud/receiver/verify.ts';
import type { Stack } from '../../../local/stack/stack.ts';
import { detection } from '../records/detections.ts';
import { callerOf, connectFleet, until } from './stack.ts';

/** What a camera sent: a reading that opens an alert, and a detection. */
type Sent = { deviceId: string; session: string; fromMs: number; untilMs: number };
type Alert = Record<string, unknown> & { deviceId: string; code: string; status: string };
type Delivery = { deliveryId: string; eventId: string; status: string; attempts: { at: string }[] };
type Mail = { kind: string; messageId: string; to: string[]; subject: string; text: string };

/** Figures of a case. `repeats`: requests that came again under the id of the first. */
export type Figures = {
  sent: number;
  opened: number;
  delivered: number;
  repeats: number;
  lost: string[];
  doubled: string[];
  wrong: string[];
};

export const hook = 'all';
const secret = 'a-secret-of-the-receiver';
const code = 'RES_001';
/** By how much times may differ: processes read their clocks at other moments, and a part of them is a second behind. */
const slackMs = 3000;
const idOf = (number: number) => `cam-${String(number).padStart(3, '0')}`;
/** The time for an answer, which lies in the future. */
const futureMembers: ReadonlySet<string> = new Set(['respondBy']);

/**
 * Cameras that send, and the customer's side: a receiver of his own, whose clock is right, his mails, and what the API shows him. Nothing
 * inside the service is read.
 */
export async function openOutside(stack: Stack, given: { responseSeconds: number; cameras: number }) {
  const { run } = stack;
  const api = callerOf(stack);
  const fleet = connectFleet(stack);
  const receiver = await startReceiver({
    port: 0,
    controlPort: 0,
    credential: {
      certificate: readFileSync(run.certificateFile, 'utf8'),
      key: readFileSync(run.certificateKeyFile, 'utf8'),
    },
  });
  receiver.configure(hook, { secret });
  const webhookId = await settle(api, receiver, given.responseSeconds);
  // A client connects again by itself, but its first connection must succeed.
  for (let number = 0; number < given.cameras; number += 1) await fleet.connect(idOf(number));
  const startedMs = Date.now();
  const sent: Sent[] = [];
  const mails = new Map<string, Mail>();
  const twice = new Set<string>();

  const send = async () => {
    const deviceId = idOf(sent.length);
    const each: Sent = { deviceId, session: `session-${deviceId}`, fromMs: Date.now(), untilMs: 0 };
    sent.push(each);
    await fleet.send(each.deviceId, 'status', { bootId: 'boot', seq: 1, memory: { usedPercent: 94 } });
    await fleet.send(
      each.deviceId,
      'detection',
      detection(each.session, { timestamp: new Date(each.fromMs).toISOString() }),
    );
    each.untilMs = Date.now();
  };
  const page = async <T>(path: string, member: string): Promise<T[]> => {
    const all: T[] = [];
    for (let token = ''; ; ) {
      const more = token && `&pageToken=${encodeURIComponent(token)}`;
      const { status, body } = await api.get(`${path}&pageSize=200${more}`);
      if (status !== 200) throw new Error(`${path} was answered ${status}`);
      all.push(...body[member]);
      token = body.nextPageToken ?? '';
      if (!token) return all;
    }
  };
  /** Keeps the mails of the inbox, which forgets them when it ends. */
  const keepMails = async () => {
    const { messages } = (await (await fetch(`${run.inboxUrl}/messages`)).json()) as { messages: Mail[] };
    const found = messages.filter(({ kind }) => kind === 'email');
    const ids = found.map(({ messageId }) => messageId);
    for (const id of ids.filter((each, index) => ids.indexOf(each) !== index)) twice.add(id);
    for (const mail of found) mails.set(mail.messageId, mail);
  };
  const arrived = () => {
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    return {
      sessions: new Set<string>(bodies.flatMap(({ session }) => session?.id ?? [])),
      alerts: new Set<string>(bodies.flatMap(({ alert }) => (alert?.code === code ? alert.deviceId : []))),
    };
  };
  return {
    receiver,
    sent,
    keepMails,
    /** Sends from as many cameras at once. */
    send: (count: number) => Promise.all(Array.from({ length: count }, send)),
    /** Waits until the receiver has everything that was sent. */
    async arrive(what: string, seconds = 180): Promise<void> {
      const missing = () => {
        const { sessions, alerts } = arrived();
        return sent.flatMap(({ session, deviceId }) => [
          ...(sessions.has(session) ? [] : [session]),
          ...(alerts.has(deviceId) ? [] : [`the alert of ${deviceId}`]),
        ]);
      };
      const isAll = until(what, async () => missing().length === 0, seconds);
      await isAll.catch(() => Promise.reject(new Error(`${what}: ${missing().length} did not come: ${missing()}`)));
    },
    /** Waits until no delivery is under way, then compares all that is outside with what was sent. */
    async judge(): Promise<Figures> {
      const deliveries = () => page<Delivery>('/v1/deliveries?status=pending', 'deliveries');
      await until(
        'the end of all deliveries',
        async () => (await deliveries().catch(() => [null])).length === 0,
        120,
      ).catch(() => {});
      await keepMails();
      const findings = { lost: [] as string[], doubled: [] as string[], wrong: [] as string[] };
      const alerts = await page<Alert>('/v1/alerts?status=all', 'alerts');
      judgeAlerts(sent, alerts, findings);
      const own = await page<Delivery>(`/v1/deliveries?webhookId=${webhookId}`, 'deliveries');
      const repeats = judgeRequests(sent, own, receiver.received, startedMs, findings);
      for (const { deliveryId, status } of own)
        if (status !== 'delivered') findings.lost.push(`delivery ${deliveryId} is ${status}`);
      await judgeMails(page, mails, findings);
      const unread = await page<{ reportId: string; reason: string }>('/v1/quarantine?status=all', 'reports');
      for (const { reportId, reason } of unread) findings.wrong.push(`${reportId} is in quarantine: ${reason}`);
      const there = arrived();
      return {
        sent: 2 * sent.length,
        opened: alerts.length,
        delivered: there.sessions.size + there.alerts.size,
        repeats: repeats + twice.size,
        ...findings,
      };
    },
    async close() {
      await fleet.close();
      await receiver.stop();
    },
  };
}

/** One endpoint for everything, one team, and cameras that report only on change, so that a long run makes none of them silent. */
async function settle(api: ReturnType<typeof callerOf>, receiver: Receiver, seconds: number): Promise<string> {
  const { body, headers } = await api.get('/v1/settings');
  const responseSeconds = { CRITICAL: seconds, ERROR: seconds, WARNING: seconds };
  const wanted = { ...body, responseSeconds, reporting: { periodSeconds: 0 } };
  const changed = { body: wanted, headers: { 'If-Match': headers.get('ETag') ?? '' } };
  const answers = [
    await api.call('PUT', '/v1/settings', changed),
    await api.call('PUT', '/v1/teams/operations', { body: { emails: ['ops@example.com'] } }),
    await api.call('POST', '/v1/webhooks', {
      body: { url: receiver.urlOf(hook), events: ['alert', 'detection'], secret, maxAttempts: 5 },
    }),
  ];
  const failed = answers.find(({ status }) => status >= 300);
  if (failed) throw new Error(`the stage is not set: ${JSON.stringify(failed.body)}`);
  return answers.at(-1)?.body.webhookId;
}

type Findings = Pick<Figures, 'lost' | 'doubled' | 'wrong'>;

/** Each camera has one alert, still active, and no instant of it is earlier than its message or later than now. */
function judgeAlerts(sent: readonly Sent[], alerts: readonly Alert[], { lost, doubled, wrong }: Findings): void {
  const byDevice = Map.groupBy(alerts, ({ deviceId }) => deviceId);
  for (const each of sent) {
    const found = byDevice.get(each.deviceId) ?? [];
    const own = found.filter((alert) => alert.code === code);
    if (own.length === 0) lost.push(`${each.deviceId} has no alert`);
    if (own.length > 1) doubled.push(`${each.deviceId} has ${own.length} alerts`);
    for (const alert of found) {
      if (alert.code !== code || alert.status !== 'active')
        wrong.push(`${each.deviceId}: ${alert.code} is ${alert.status}`);
      wrong.push(...wrongTimes(`alert of ${each.deviceId}`, alert, each.fromMs));
    }
  }
}

/** Every request is signed, in time, and of a delivery that exists; each event has one delivery. @returns the number of repeats */
function judgeRequests(
  sent: readonly Sent[],
  deliveries: readonly Delivery[],
  received: readonly Received[],
  startedMs: number,
  { lost, doubled, wrong }: Findings,
): number {
  const byId = Map.groupBy(received, ({ headers }) => String(headers['x-service-delivery']));
  const idsOf = new Map<string, Set<string>>();
  for (const [id, [first, ...others]] of byId) {
    if (!first) continue;
    const { session, alert, change } = JSON.parse(first.body);
    const event = session?.id ?? `${alert?.deviceId} ${alert?.code} ${change}`;
    idsOf.set(event, (idsOf.get(event) ?? new Set()).add(id));
    const from = sent.find(({ deviceId, session: own }) => own === session?.id || deviceId === alert?.deviceId)?.fromMs;
    if (others.some(({ body }) => body !== first.body)) wrong.push(`${event} came with other bytes`);
    wrong.push(...wrongTimes(`body of ${event}`, JSON.parse(first.body), from ?? startedMs, Date.parse(first.at)));
  }
  for (const request of received) {
    const { verified, headers, body, at } = request;
    const signedAt = Number(headers['x-service-timestamp']);
    const isSigned = Object.values(verify(headers, Buffer.from(body), secret, signedAt)).every((good) => good === true);
    const id = headers['x-service-delivery'];
    if (!isSigned) wrong.push(`${id} has a wrong signature`);
    if (!verified?.contract || !verified.standard) wrong.push(`${id} was signed at ${signedAt} and came at ${at}`);
  }
  for (const [event, ids] of idsOf) if (ids.size > 1) doubled.push(`${event} came under ${ids.size} ids`);
  for (const { session, deviceId } of sent) {
    if (!idsOf.has(session)) lost.push(`${session} was not delivered`);
    if (!idsOf.has(`${deviceId} ${code} opened`)) lost.push(`the alert of ${deviceId} was not delivered`);
  }
  const known = new Set(deliveries.map(({ deliveryId }) => deliveryId));
  for (const id of byId.keys()) if (!known.has(id)) doubled.push(`${id} came, and there is no such delivery`);
  return received.length - byId.size;
}

/** Every mail that the service calls delivered has come. */
async function judgeMails(
  page: <T>(path: string, member: string) => Promise<T[]>,
  mails: ReadonlyMap<string, Mail>,
  { lost }: Findings,
): Promise<void> {
  const deliveries = await page<Delivery & { channel: string }>('/v1/deliveries?channel=email', 'deliveries');
  for (const { deliveryId, status } of deliveries) {
    const isThere = mails.has(`<${deliveryId}@watchpost>`);
    if (status === 'delivered' && !isThere) lost.push(`mail ${deliveryId} is not in the inbox`);
  }
}

/** Every instant in an answer, except those that are meant for the future, lies between the message and the present. */
function wrongTimes(what: string, value: unknown, fromMs: number, untilMs = Date.now(), path = ''): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, each]) =>
      futureMembers.has(name) ? [] : wrongTimes(what, each, fromMs, untilMs, `${path}/${name}`),
    );
  }
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return [];
  const ms = Date.parse(value);
  if (ms >= fromMs - slackMs && ms <= untilMs + slackMs) return [];
  return [`${path} of ${what} is ${value}, sent at ${new Date(fromMs).toISOString()}`];
}
