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

/** Every event has one delivery for each endpoint that subscribes to it, and no others. */
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
      // A guardian's message may come before the first report that contains its device's group, so the stored group counts.
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

/** For endpoints with sequence numbers, each camera's detections are numbered from 1 on without gaps; other deliveries have no number. */
export function checkSequences(findings: Findings, { deliveries }: Kept): void {
  const counting = new Set(endpoints.flatMap(({ webhookId, sequenced }) => (sequenced ? [webhookId] : [])));
  const detections = deliveries.filter(({ eventType }) => eventType === 'detection');
  const streams = Map.groupBy(detections, ({ webhookId, deviceId }) => `${webhookId} ${deviceId}`);
  for (const [stream, own] of streams) {
    const numbers = own.flatMap(({ sequence }) => sequence ?? []).toSorted((a, b) => a - b);
    const wanted = counting.has(own[0]?.webhookId ?? '') ? own.map((_unused, index) => index + 1) : [];
    if (numbers.join() !== wanted.join()) findings.wrong.push(`numbers of ${stream}: ${numbers} for ${wanted}`);
  }
}

/** Two cameras may send the same content at the same time, so the device is compared too. */
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

const begins = new Set(['announce', 'snooze-end', 'escalate', 'remind']);

/** Whether people had to be notified of an alert at a time when it was neither snoozed nor in a grace period. */
function isBegun(entries: Kept['audit']): boolean {
  let [snoozedUntil, notifyAfter]: unknown[] = [null, null];
  return entries.some(({ action, changes: set }) => {
    ({ snoozedUntil = snoozedUntil, notifyAfter = notifyAfter } = set as Record<string, unknown>);
    return begins.has(action) && snoozedUntil === null && notifyAfter === null;
  });
}

/** Each change of an alert is an event. If the opening was held back, there are at most as many events as changes. */
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
    const notified = (byAlert.get(alertId) ?? []).map(({ body }) => JSON.parse(body).change as string);
    const entries = trails.byAlert.get(alertId) ?? [];
    const isSilenced = !isOfGroups(filter, alert.groupId) || severity === 'INFO' || alert.channelsBy === 'suppressed';
    const wanted = isSilenced ? [] : entries.flatMap(({ action }) => changes[action] ?? []);
    // A drift waits for its heal, and a loss for others at its place. If it ends in that time, nobody is notified.
    const isHeldBack = entries.some(({ changes: set }) => set.notifyAfter != null);
    // An alert that opens during a snooze of its code is not notified.
    const wasSnoozed = entries[0]?.changes.snoozedUntil != null;
    const wasHeldBack = isHeldBack || wasSnoozed || entries.some(({ changes: set }) => set.flapping === true);
    const what = `${name} of ${deviceId} ${code} ${alertId}: announced ${notified}, it was ${wanted}`;
    if (isBegun(entries) && wanted.length > 0 && !notified.includes('opened'))
      findings.lost.push(`${what}: its opening`);
    if (notified.length > wanted.length) findings.doubled.push(what);
    else if (notified.length < wanted.length && !wasHeldBack) findings.lost.push(what);
    else if (!wasHeldBack && notified.toSorted().join() !== wanted.toSorted().join()) findings.wrong.push(what);
  }
}

/** Accounts for every delivery: each is delivered, failed or held, and each delivered one was accepted by a receiver. */
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
      // A delivery of the last minute, for example a reminder, may still be pending.
      ledger.sent -= 1;
    } else if (delivery.dismissedReason !== null && isRightlyDismissed(delivery, kept, lastMoment)) {
      ledger.sent -= 1;
    } else findings.lost.push(`${name}: is ${status}, due ${delivery.dueAt}`);
  }
  for (const deliveryId of requests.keys()) findings.wrong.push(`requests of no delivery ${deliveryId}`);
  return ledger;
}

/** The state of an alert or incident at an entry of its trail, and whether it is a member of an incident. */
type State = { at: string; status: string; isMember: boolean };

function statesOf({ audit, incidentAudit }: Kept, { about, id }: { about: string; id: string }): State[] {
  let isMember = false;
  const entries =
    about === 'incident'
      ? incidentAudit.filter(({ incidentId }) => incidentId === id)
      : audit.filter(({ alertId }) => alertId === id);
  return entries.map(({ action, changes: set, recordedAt, to }) => {
    if (action === 'join' || set.isMember === true) isMember = true;
    if (action === 'leave' || set.isMember === false) isMember = false;
    return { at: recordedAt, status: to, isMember };
  });
}

const isOver = (occasion: string) => occasion === 'resolved' || occasion === 'joined';
const isBegin = (occasion: string) => !isOver(occasion) && occasion !== 'acknowledged';

/**
 * Whether a notification is untrue in a state. For a member only its end is true, because the incident notifies people instead. This deliberately
 * repeats the rule of the service.
 */
function isUntrue(occasion: string, { status, isMember }: State): boolean {
  if (isMember && !isOver(occasion)) return true;
  if (occasion === 'escalated' || occasion === 'reminded') return status !== 'escalated';
  if (occasion === 'acknowledged') return status !== 'acknowledged';
  return (status === 'resolved') !== isOver(occasion);
}

/** A notification may be dismissed only if it was untrue in the minute before, or unneeded (`isNews`), or if a digest was sent to its target. */
function isRightlyDismissed(delivery: Delivery, kept: Kept, lastMoment: string): boolean {
  const { message, dismissedReason, createdAt, targetName } = delivery;
  const finishedAt = delivery.finishedAt ?? '';
  if (!message) return false;
  if (message.about === 'digest') return dismissedReason === 'overtaken';
  const trail = statesOf(kept, message);
  const states = trail.filter(({ at }) => at <= finishedAt);
  const since = new Date(Date.parse(finishedAt) - minute).toISOString();
  const recent = [...states.slice(-1), ...states.filter(({ at }) => at >= since)];
  if (dismissedReason === 'overtaken') {
    return recent.some((state) => isUntrue(message.occasion, state)) || isNews(delivery, kept);
  }
  const isDigested = kept.deliveries.some(
    (other) => other.eventType === 'digest' && other.targetName === targetName && other.createdAt >= createdAt,
  );
  const isOvertaken = trail.some((state) => state.at >= createdAt && isUntrue(message.occasion, state));
  return isDigested || isOvertaken || finishedAt > lastMoment;
}

/** Whether its target never got the beginning. Acknowledgements and ends are not sent to such targets. */
function isNews({ message, targetName, finishedAt }: Delivery, { deliveries }: Kept): boolean {
  if (!message || isBegin(message.occasion)) return false;
  return !deliveries.some(
    (other) =>
      other.message?.id === message.id &&
      other.targetName === targetName &&
      other.createdAt <= (finishedAt ?? '') &&
      isBegin(other.message.occasion) &&
      other.dismissedReason !== 'overtaken',
  );
}

/**
 * Requests of one delivery come one at a time, to webhooks with the same bytes. An attempt is repeated only if its result could not be recorded, and
 * nothing follows a recorded success.
 */
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
