import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import { explainedEvents, webhookEvents } from '../../../shared/schema/vocabulary.ts';
import type { Command, Context, Flags } from '../command.ts';
import { wholeIdOf } from '../short-ids.ts';
import { UsageError, unknownWord } from '../usage.ts';
import { acting, listing, showing, withoutGaps } from './records.ts';

const id = 'webhookId';
const operands = { shown: 'WEBHOOK_ID', least: 1, most: 1 };
const secretFlag = {
  'secret-env': {
    about: 'environment variable with the signing secret; without it the service makes one',
    value: 'NAME',
    member: 'secret',
  },
} as const satisfies Flags;

/** A secret never stands in an argument, because other users of the machine can read arguments. @throws UsageError */
function secretOf({ flags, terminal }: Context): string | undefined {
  const name = flags.text('secret-env');
  if (name === undefined) return undefined;
  const secret = terminal.env[name];
  if (!secret) throw new UsageError(`The environment variable ${name} is not set.`);
  return secret;
}

async function idOf({ operands: [given = ''], client, terminal }: Context): Promise<string> {
  return wholeIdOf(client(), id, given, terminal.signal);
}

function newWebhook(context: Context): Schemas['CreateWebhookRequest'] {
  const { flags } = context;
  const url = flags.text('target') ?? '';
  const filter = withoutGaps({
    groups: flags.texts('group'),
    devices: flags.texts('device'),
    schedule: flags.text('schedule'),
  });
  const secret = secretOf(context);
  const given = {
    events: flags.texts('event'),
    description: flags.text('description'),
    filter: Object.keys(filter).length === 0 ? undefined : filter,
    ...(secret === undefined ? { generateSecret: true } : { secret }),
  };
  return { url, ...withoutGaps(given) } as Schemas['CreateWebhookRequest'];
}

function detectionLine(detection: Schemas['WebhookExplanation']['detections'][number]): string {
  const { receivedAt, deviceId, sessionId } = detection;
  return `${receivedAt} ${deviceId} ${sessionId}: ${verdictOf(detection)}.`;
}

function eventLine(event: Schemas['ExplainedEvent']): string {
  const { timestamp, deviceId, code, change } = event;
  return `${[timestamp, deviceId, code, change].filter((each) => each !== null).join(' ')}: ${verdictOf(event)}.`;
}

type Verdict = Pick<Schemas['ExplainedEvent'], 'wanted' | 'refusedBy' | 'deliveryId' | 'deliveryStatus'>;

function verdictOf({ wanted, refusedBy, deliveryId, deliveryStatus }: Verdict): string {
  const sent = deliveryId === null ? 'was not sent' : `was sent (${deliveryStatus})`;
  const reasons = refusedBy.map(({ member, detail }) => `${member} ${detail}`).join('; ');
  const now = wanted ? 'would be sent now' : `would not be sent now: ${reasons}`;
  return `${sent}; ${now}`;
}

/** How a test went. */
function testLines({ status, attempts }: Schemas['Delivery']): string[] {
  const attempt = attempts.at(-1);
  if (!attempt) return [`Nothing has been sent yet: the delivery is ${status}.`];
  const { statusCode, errorClass, detail, durationMs, responseExcerpt } = attempt;
  const why = errorClass === null ? '' : ` (${detail ?? errorClass})`;
  const answer = statusCode === null ? 'no answer' : `answered ${statusCode}`;
  return [
    `The test ${status === 'delivered' ? 'was taken' : `is ${status}`}: ${answer} after ${durationMs} ms${why}.`,
    ...(responseExcerpt ? [`The answer: ${responseExcerpt.trim()}`] : []),
  ];
}

async function test(context: Context, given: string, body: Schemas['WebhookTestRequest']): Promise<boolean> {
  const { client, terminal, print } = context;
  const params = { webhookId: await wholeIdOf(client(), id, given, terminal.signal) };
  const { data } = await client().call('testWebhook', { params, body, signal: terminal.signal });
  print.sentences(data, testLines(data));
  return data.status === 'delivered';
}

export const webhookCommands: readonly Command[] = [
  listing('listWebhooks', {
    name: 'webhooks list',
    about: 'lists endpoints',
    columns: [
      ['webhookId', ({ webhookId }) => webhookId],
      ['url', ({ url }) => url],
      ['events', ({ events }) => events],
      ['enabled', ({ enabled }) => enabled],
      ['signed', ({ hasSecret }) => hasSecret],
    ],
  }),
  showing('getWebhook', 'webhooks show', id, 'shows one endpoint'),
  {
    name: 'webhooks create',
    about: 'adds an endpoint, and prints its signing secret once if the service made it',
    flags: {
      target: {
        about: 'address that events are posted to, as https://example.com/hook',
        value: 'URL',
        isNeeded: true,
        member: 'url',
      },
      event: { about: 'events that it gets', value: 'E', isMany: true, oneOf: webhookEvents, member: 'events' },
      group: { about: 'only of this device group', value: 'ID', isMany: true, member: 'filter/groups' },
      device: { about: 'only of this device', value: 'ID', isMany: true, member: 'filter/devices' },
      schedule: { about: 'only during this schedule of the settings', value: 'NAME', member: 'filter/schedule' },
      description: { about: 'what it is for', value: 'TEXT', member: 'description' },
      ...secretFlag,
    },
    async run(context) {
      const body = newWebhook(context);
      const { client, terminal, print } = context;
      print.record((await client().call('createWebhook', { body, signal: terminal.signal })).data);
      return true;
    },
  },
  {
    name: 'webhooks test',
    about: 'sends a signed test event now, and prints what the endpoint answered',
    operands,
    run: (context) => test(context, context.operands[0] ?? '', {}),
  },
  {
    name: 'trigger',
    about: `sends a sample of an event (${webhookEvents.join(', ')}) to an endpoint now, signed as a real one`,
    operands: { shown: 'EVENT WEBHOOK_ID', least: 2, most: 2 },
    async run(context) {
      const [given = '', endpoint = ''] = context.operands;
      const event = webhookEvents.find((each) => each === given);
      if (!event) throw unknownWord('event', given, webhookEvents);
      return test(context, endpoint, { event });
    },
  },
  {
    name: 'webhooks rotate',
    about: 'adds a new signing secret, which signs beside the old one for a while',
    operands,
    flags: {
      ...secretFlag,
      'overlap-hours': { about: 'for how long both sign (24)', value: 'N', number: [0, 168] },
    },
    async run(context) {
      const { client, terminal, print, flags } = context;
      const body = withoutGaps({ secret: secretOf(context), overlapHours: flags.number('overlap-hours') });
      const params = { webhookId: await idOf(context) };
      print.record((await client().call('rotateWebhookSecret', { params, body, signal: terminal.signal })).data);
      return true;
    },
  },
  {
    name: 'webhooks replay',
    about: 'sends failed and held deliveries since a time again',
    operands,
    flags: {
      since: { about: 'since when, as 18:00', value: 'TIME', time: 'last', isNeeded: true, member: 'since' },
      until: { about: 'until when', value: 'TIME', time: 'last', member: 'until' },
      status: { about: 'only these', value: 'S', isMany: true, oneOf: ['failed', 'held'] },
      event: { about: 'only of this event', value: 'E', oneOf: webhookEvents },
      'dry-run': { about: 'only count them' },
    },
    async run(context) {
      const { client, terminal, print, flags } = context;
      const since = flags.text('since') ?? '';
      const more = withoutGaps({
        until: flags.text('until'),
        status: flags.texts('status'),
        eventType: flags.text('event'),
        dryRun: flags.has('dry-run') ? true : undefined,
      });
      const body = { since, ...more } as Schemas['ReplayRequest'];
      const params = { webhookId: await idOf(context) };
      print.record((await client().call('replayWebhook', { params, body, signal: terminal.signal })).data);
      return true;
    },
  },
  {
    name: 'webhooks explain',
    about: 'says for recent events whether they were sent to an endpoint, and why not',
    operands,
    flags: {
      event: { about: 'of which kind (detection)', value: 'KIND', oneOf: explainedEvents },
      limit: { about: 'how many at most (20)', value: 'N', number: [1, 100] },
      since: { about: 'since when, as 18:00', value: 'TIME', time: 'last', member: 'since' },
    },
    async run(context) {
      const { client, terminal, print, flags } = context;
      const asked = { eventType: flags.text('event'), limit: flags.number('limit'), since: flags.text('since') };
      const body = withoutGaps(asked) as Schemas['ExplainRequest'];
      const params = { webhookId: await idOf(context) };
      const { data } = await client().call('explainWebhook', { params, body, signal: terminal.signal });
      const lines = [...data.detections.map(detectionLine), ...data.events.map(eventLine)];
      const counted = `Of ${data.examined} examined, it would get ${data.matched} now.`;
      print.sentences(data, lines.length === 0 ? ['There are no recent events of this kind.'] : [...lines, counted]);
      return true;
    },
  },
  acting('deleteWebhook', { name: 'webhooks remove', about: 'removes endpoints', id, columns: [] }),
];
