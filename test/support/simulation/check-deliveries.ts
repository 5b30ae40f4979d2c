import type { Trails } from './check-trails.ts';
import { endpoints, type Request } from './receivers.ts';
import { compareOnce, type Findings, type Kept } from './records.ts';
import type { Run } from './simulation.ts';

const minute = 60_000;
type Delivery = Kept['deliveries'][number];
const nameOf = (url: string) => new URL(url).hostname.split('.')[0] ?? '';

type Filter = (typeof endpoints)[number]['filter'];

function isOfGroups(filter: Filter, groupId: string): boolean {
  return !filter?.groups || filter.groups.includes(groupId);
}

/** Every event has one delivery for each endpoint that wants it, and none for the others. */
export function checkOwed(findings: Findings, run: Run, kept: Kept, trails: Trails): void {
  const found = Map.groupBy(kept.deliveries, ({ webhookId, eventType }) => `${webhookId} ${eventType}`);
  const group = new Map(run.story.cameras.map(({ deviceId, groupId }) => [deviceId, groupId]));
  for (const { webhookId, url, events, filter } of endpoints) {
    const name = nameOf(url);
    const of = (eventType: string) => found.get(`${webhookId} ${eventType}`) ?? [];
    const wanted = run.sent.filter(({ kind, deviceId, body, isPoison }) => {
      if (kind !== 'detection' || isPoison || !events.includes('detection')) return false;
      const { objects } = (body as { analysis: { objects: { name: string }[] } }).analysis;
      if (!isOfGroups(filter, group.get(deviceId) ?? '')) return false;
      return !filter?.objects || objects.some((object) => filter.objects?.includes(object.name));
    });
    const sessions = wanted.map(({ body }) => (body as { session: { id: string } }).session.id);
    compareOnce(
      findings,
      `delivery to ${name} of detection`,
      sessions,
      of('detection').map(({ eventId }) => eventId),
    );
    if (events.includes('guardian')) {
      // A guardian may be heard before the first report that tells the group of its device.
      const groups = new Map(
        kept.guardianAlerts.map(({ deviceId, text, groupId }) => [`${deviceId} ${text}`, groupId]),
      );
      const alerts = run.sent.filter(({ kind, deviceId, body, isPoison }) => {
        if (kind !== 'guardian' || isPoison) return false;
        return isOfGroups(filter, groups.get(`${deviceId} ${JSON.stringify(body)}`) ?? '');
      });
      const bodies = of('guardian').map(({ body }) => JSON.stringify(JSON.parse(body).guardianAlert));
      const texts = alerts.map(({ body }) => JSON.stringify(body));
      compareOnce(
        findings,
        `delivery to ${name} of guardian alert`,
        texts.map(stamped(alerts)),
        bodies.map(stampedBy(of('guardian'))),
      );
    }
    if (events.includes('alert')) checkAlertEvents(findings, { name, filter }, kept, trails, of('alert'));
  }
}

/** Two cameras may say the same at the same time. */
const stamped = (sent: { deviceId: string }[]) => (text: string, index: number) => `${sent[index]?.deviceId} ${text}`;
const stampedBy = (deliveries: Delivery[]) => (text: string, index: number) => `${deliveries[index]?.deviceId} ${text}`;

const changes: Record<string, string> = {
  open: 'opened',
  acknowledge: 'acknowledged',
  unacknowledge: 'unacknowledged',
  escalate: 'escalated',
  resolve: 'resolved',
  end: 'resolved',
  reopen: 'reopened',
  return: 'reopened',
};

/** Each change of an alert is an event; those of an alert whose opening may be held back are at most its changes. */
function checkAlertEvents(
  findings: Findings,
  { name, filter }: { name: string; filter: Filter },
  { alerts }: Kept,
  trails: Trails,
  found: Delivery[],
): void {
  const byAlert = Map.groupBy(found, ({ alertId }) => alertId);
  for (const alert of alerts) {
    const { alertId, severity, code, deviceId } = alert;
    const told = (byAlert.get(alertId) ?? []).map(({ body }) => JSON.parse(body).change as string);
    const entries = trails.byAlert.get(alertId) ?? [];
    const isSilenced = !isOfGroups(filter, alert.groupId) || severity === 'INFO' || alert.channelsBy === 'suppressed';
    const wanted = isSilenced ? [] : entries.flatMap(({ action }) => changes[action] ?? []);
    // A drift waits for its heal, a loss for others at its place: of what is over by then nobody is told.
    const isHeldBack = entries.some(({ changes: set }) => set.notifyAfter != null);
    // One that is born into a snooze of its code begins without a word.
    const wasSnoozed = entries[0]?.changes.snoozedUntil != null;
    const wasHeldBack = isHeldBack || wasSnoozed || entries.some(({ changes: set }) => set.flapping === true);
    const what = `${name} of ${deviceId} ${code} ${alertId}: told ${told}, it was ${wanted}`;
    const isAnnounced = entries.some(({ action }) => action === 'announce');
    if (isAnnounced && wanted.length > 0 && !told.includes('opened')) findings.lost.push(`${what}: its opening`);
    if (told.length > wanted.length) findings.doubled.push(what);
    else if (told.length < wanted.length && !wasHeldBack) findings.lost.push(what);
    else if (!wasHeldBack && told.toSorted().join() !== wanted.toSorted().join()) findings.wrong.push(what);
  }
}

/** The ledger: what was sent is delivered, failed or held; delivered is what a receiver took. */
export function checkLedger(
  findings: Findings,
  run: Run,
  kept: Kept,
): { sent: number; completed: number; failed: number; held: number } {
  const { deliveries } = kept;
  const requests = Map.groupBy(run.requests, ({ deliveryId }) => deliveryId);
  const ledger = { sent: deliveries.length, completed: 0, failed: 0, held: 0 };
  const lastMoment = new Date(run.endedAt - minute).toISOString();
  const heldOnly = new Set(
    endpoints.filter(({ url }) => ['dead', 'gone', 'off'].includes(nameOf(url))).map(({ webhookId }) => webhookId),
  );
  for (const delivery of deliveries) {
    const { deliveryId, status, attempts, webhookId, maxAttempts } = delivery;
    const seen = requests.get(deliveryId) ?? [];
    const name = `delivery ${deliveryId} to ${delivery.targetName} of ${delivery.eventType} ${delivery.eventId}`;
    requests.delete(deliveryId);
    checkRequests(findings, name, seen, webhookId !== null);
    const numbers = attempts.map(({ number }) => number);
    if (new Set(numbers).size !== numbers.length) findings.doubled.push(`${name}: attempts ${numbers}`);
    if (status === 'delivered') {
      ledger.completed += 1;
      if (!seen.some(({ isSuccess }) => isSuccess)) findings.lost.push(`${name}: delivered to nobody`);
    } else if (status === 'failed') {
      ledger.failed += 1;
      if (new Set(seen.map(({ attempt }) => attempt)).size < maxAttempts) {
        findings.wrong.push(`${name}: failed after ${seen.length} requests`);
      }
    } else if (status === 'held' && heldOnly.has(webhookId ?? '')) {
      ledger.held += 1;
    } else if (status === 'pending' && delivery.createdAt > lastMoment) {
      // A reminder that fell due just before the run's end has not had its time.
      ledger.sent -= 1;
    } else if (delivery.dismissedReason !== null && isRightlyDismissed(delivery, kept, lastMoment)) {
      ledger.sent -= 1;
    } else findings.lost.push(`${name}: is ${status}, due ${delivery.dueAt}`);
  }
  for (const deliveryId of requests.keys()) findings.wrong.push(`requests of no delivery ${deliveryId}`);
  return ledger;
}

/** In which state of its alert a message would be untrue. Written down here once more on purpose. */
function isUntrue(occasion: string, status: string): boolean {
  if (occasion === 'escalated' || occasion === 'reminded') return status !== 'escalated';
  if (occasion === 'acknowledged') return status !== 'acknowledged';
  return (status === 'resolved') !== (occasion === 'resolved');
}

/** A message is not sent where its alert was otherwise in that minute, or where a digest left for its target; one that had nothing to tell is none. */
function isRightlyDismissed(delivery: Kept['deliveries'][number], kept: Kept, lastMoment: string): boolean {
  const { message, dismissedReason, createdAt, targetName } = delivery;
  const finishedAt = delivery.finishedAt ?? '';
  if (!message) return false;
  if (message.about === 'digest') return dismissedReason === 'overtaken';
  const trail = kept.audit.filter(({ alertId }) => alertId === message.id);
  const states = trail.filter(({ recordedAt }) => recordedAt <= finishedAt);
  const since = new Date(Date.parse(finishedAt) - minute).toISOString();
  const recent = [...states.slice(-1), ...states.filter(({ recordedAt }) => recordedAt >= since)];
  if (dismissedReason === 'overtaken') return recent.some(({ to }) => isUntrue(message.occasion, to));
  const isDigested = kept.deliveries.some(
    (other) => other.eventType === 'digest' && other.targetName === targetName && other.createdAt >= createdAt,
  );
  const isOver = trail.some(({ to, recordedAt }) => recordedAt >= createdAt && isUntrue(message.occasion, to));
  return isDigested || isOver || finishedAt > lastMoment;
}

/** The same event comes under one id, to machines with the same bytes; again only where what became of the time before could not be written down. */
function checkRequests(findings: Findings, name: string, seen: Request[], isFixed: boolean): void {
  for (const [index, request] of seen.entries()) {
    const next = seen[index + 1];
    if (!next) break;
    if (isFixed && next.body !== request.body) findings.wrong.push(`${name}: another body`);
    if ((request.endedAt ?? Number.POSITIVE_INFINITY) > next.startedAt && request.instance.isAlive) {
      findings.doubled.push(`${name}: two requests at once`);
    }
    if (request.isRecorded && request.isSuccess) findings.doubled.push(`${name}: sent again after it was delivered`);
    if (request.isRecorded && next.attempt <= request.attempt)
      findings.doubled.push(`${name}: attempt ${next.attempt} twice`);
  }
}
