import type { Sender } from '../../../shared/app/ports.ts';
import type { Delivery, SendOutcome } from '../../../shared/domain/delivery/delivery.ts';
import type { Webhook } from '../../../shared/domain/delivery/webhook.ts';
import { endpoint, failure, success } from '../records/deliveries.ts';
import type { VirtualClock } from './clock.ts';
import { type Instance, never, type Random } from './instances.ts';

/** One request as the receiver saw it. */
export type Request = {
  deliveryId: string;
  target: string;
  attempt: number;
  eventType: string;
  eventId: string;
  body: string;
  startedAt: number;
  /** Null while it is in flight. */
  endedAt: number | null;
  /** Whether the receiver accepted it, even if the sender does not know. */
  isTaken: boolean;
  /** Whether the sender got a success. */
  isSuccess: boolean;
  instance: Instance;
  /** Whether the call that sent it ended without a fault, so that its result is recorded. */
  isRecorded: boolean;
};

type Temper = 'well' | 'flaky' | 'down-for-a-while' | 'dead' | 'gone' | 'disabled';

/** Endpoints with different behaviour. These filters decide what each should get, and the checker uses them too. */
const customers: { name: string; temper: Temper; given: Partial<Webhook> }[] = [
  { name: 'all', temper: 'well', given: { sequenced: true } },
  { name: 'flaky', temper: 'flaky', given: { events: ['detection'], sequenced: true } },
  { name: 'north', temper: 'well', given: { events: ['detection', 'alert'], filter: { groups: ['north'] } } },
  {
    name: 'away',
    temper: 'down-for-a-while',
    given: { events: ['detection', 'guardian'], filter: { groups: ['south'] }, timeoutSeconds: 3 },
  },
  {
    name: 'dead',
    temper: 'dead',
    given: { events: ['detection'], filter: { objects: ['bear'] }, maxAttempts: 2 },
  },
  { name: 'gone', temper: 'gone', given: { events: ['detection'], filter: { objects: ['bear', 'boar'] } } },
  {
    name: 'off',
    temper: 'disabled',
    given: { events: ['detection'], filter: { objects: ['boar'] }, isEnabled: false },
  },
];

export const endpoints: Webhook[] = customers.map(({ name, given }, index) =>
  endpoint({
    webhookId: `11111111-1111-4111-8111-${String(index + 1).padStart(12, '0')}`,
    url: `https://${name}.example.com/`,
    ...given,
  }),
);

export type Answer = { after: number; isTaken: boolean; outcome: SendOutcome };
const refused = (errorClass: SendOutcome['errorClass']): SendOutcome => ({
  ...failure,
  statusCode: null,
  errorClass,
  detail: null,
});

/** Receivers that fail, hang, break the connection before or after they accepted an event, or ask for a pause. */
export function createReceivers(clock: VirtualClock, random: Random, span: { from: number; until: number }) {
  const requests: Request[] = [];
  /** The alerts that operators know from events, and act on. */
  const alertIds: string[] = [];
  const awayFrom = span.from + (span.until - span.from) * 0.2;
  const awayUntil = span.from + (span.until - span.from) * 0.6;
  const goneFrom = span.from + (span.until - span.from) * 0.7;
  const wrong = (timeoutSeconds: number): Answer => {
    const after = random.below(800);
    switch (random.below(5)) {
      case 0:
        return { after, isTaken: false, outcome: failure };
      case 1:
        return { after, isTaken: false, outcome: { ...failure, statusCode: 503, retryAfterMs: random.below(90_000) } };
      case 2:
        return { after, isTaken: false, outcome: refused('connection_reset') };
      case 3:
        return { after, isTaken: true, outcome: refused('connection_reset') };
      default:
        return { after: timeoutSeconds * 1000, isTaken: random.chance(0.5), outcome: refused('timeout') };
    }
  };
  const answerOf = (temper: Temper, timeoutSeconds: number): Answer => {
    const now = clock.ms();
    const well: Answer = { after: 5 + random.below(200), isTaken: true, outcome: success };
    const hang: Answer = { after: timeoutSeconds * 1000, isTaken: false, outcome: refused('timeout') };
    if (temper === 'dead') return random.chance(0.5) ? hang : { ...hang, after: 10 };
    if (temper === 'down-for-a-while' && now >= awayFrom && now < awayUntil) return hang;
    if (temper === 'gone' && now >= goneFrom) {
      return { after: 20, isTaken: false, outcome: { ...failure, statusCode: 410, isGone: true } };
    }
    if (now >= span.until) return well;
    return random.chance(temper === 'flaky' ? 0.25 : 0.02) ? wrong(timeoutSeconds) : well;
  };
  const receive = async (delivery: Delivery, attempt: number, target: string, answer: Answer, instance: Instance) => {
    const { deliveryId, eventType, eventId, body } = delivery;
    const request: Request = {
      ...{ deliveryId, target, attempt, eventType, eventId, body, instance },
      ...{ startedAt: clock.ms(), endedAt: null, isTaken: false, isSuccess: false, isRecorded: false },
    };
    requests.push(request);
    if (delivery.alertId !== null && eventType === 'alert') alertIds.push(delivery.alertId);
    await clock.sleep(answer.after);
    request.isTaken = answer.isTaken;
    request.endedAt = clock.ms();
    if (!instance.isAlive) return never();
    request.isSuccess = answer.outcome.errorClass === null;
    return answer.outcome;
  };
  const sendersOf = (instance: Instance): { webhook: Sender; email: Sender; chat: Sender } => {
    const webhook: Sender = {
      async send(delivery, attempt, hook) {
        if (!instance.isAlive) return never();
        const customer = customers[endpoints.findIndex(({ webhookId }) => webhookId === hook?.webhookId)];
        const answer = answerOf(customer?.temper ?? 'well', hook?.timeoutSeconds ?? 10);
        return receive(delivery, attempt, customer?.name ?? '', answer, instance);
      },
    };
    const people: Sender = {
      async send(delivery, attempt) {
        if (!instance.isAlive) return never();
        const isWell = clock.ms() >= span.until || !random.chance(0.1);
        const answer: Answer = {
          after: 50,
          isTaken: isWell,
          outcome: isWell ? success : refused('connection_refused'),
        };
        return receive(delivery, attempt, delivery.targetName, answer, instance);
      },
    };
    return { webhook, email: people, chat: people };
  };
  /** Marks the latest request of a delivery as recorded if the call of the dispatcher ended with a result. */
  const settle = (deliveryId: string, instance: Instance, result: string) => {
    if (!['delivered', 'retried', 'failed'].includes(result)) return;
    for (let index = requests.length - 1; index >= 0; index -= 1) {
      const request = requests[index] as Request;
      if (request.deliveryId === deliveryId && request.instance === instance && request.endedAt !== null) {
        request.isRecorded = true;
        return;
      }
    }
  };
  return { requests, alertIds, sendersOf, settle };
}
