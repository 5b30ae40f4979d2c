import { webhookPayloads } from '../../shared/schema/webhook/events.ts';
import { content, type Shared } from './operations.ts';

const delivery = '3c3dd9c4-8f6f-5b63-9a1c-0d1c8e6d1f10';
const signature = 'sha256=5c7fb72d3baf8397a08825f45f2ea6f177f841d5d3f0b7d9e0030ffce528ffaa';
const withSecret = 'If the endpoint has a secret.';
const withFormat = 'If the endpoint has `format: "cloudevents"`.';
type Header = [name: string, description: string, example: string, isRequired?: true];
/** The headers of a webhook request, as the sender writes them: name, meaning, example, and whether they are always present. */
const headers: Header[] = [
  ['X-Service-Event', "The event's type.", 'alert', true],
  ['X-Service-Delivery', 'Id of the delivery: the same in every attempt and redelivery.', delivery, true],
  ['X-Service-Attempt', '1 and up.', '1', true],
  ['ce-id', `${withFormat} The id of the event, as in the event feed.`, delivery],
  ['ce-source', `${withFormat} The device, or the service.`, '/watchpost/devices/cam-0012'],
  ['ce-type', `${withFormat} The event's type after \`watchpost.\`.`, 'watchpost.alert'],
  ['ce-time', `${withFormat} When it happened.`, '2026-11-20T10:00:00.000Z'],
  ['ce-specversion', `${withFormat} Always 1.0.`, '1.0'],
  [
    'traceparent',
    'The trace of what caused the event (W3C Trace Context).',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
  ],
  ['X-Service-Timestamp', `${withSecret} Time of this attempt, seconds since 1970.`, '1795168800'],
  [
    'X-Service-Signature',
    `${withSecret} HMAC-SHA256 over timestamp, a dot and the body, in lower-case hex.`,
    signature,
  ],
  ['webhook-id', `${withSecret} The id of the delivery, for Standard Webhooks.`, delivery],
  ['webhook-timestamp', `${withSecret} The same time for Standard Webhooks.`, '1795168800'],
  [
    'webhook-signature',
    `${withSecret} Signatures of Standard Webhooks, separated by spaces.`,
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
];

/** Additional headers of some events. */
const ownHeaders: Partial<Record<string, Header>> = {
  detection: [
    'X-Service-Sequence',
    'If the endpoint is `sequenced`: 1, 2, 3 … without gaps, for each device. The same in every attempt and redelivery.',
    '57',
  ],
};

/** Who gets the events that no endpoint can subscribe to. */
const audiences: Partial<Record<string, string>> = {
  test: 'the endpoint that is tested',
  checkpoint: 'endpoints that are `sequenced`',
};

/** The webhook requests, one per event. */
export function webhooks(tag: string, shared: Shared): Record<string, object> {
  const parameterOf = ([name, description, example, isRequired]: Header) => {
    const key = name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
    shared.parameters[key] = {
      name,
      in: 'header',
      required: isRequired ?? false,
      description,
      schema: { type: 'string' },
      example,
    };
    return { $ref: `#/components/parameters/${key}` };
  };
  const parameters = headers.map(parameterOf);
  const entries = Object.entries(webhookPayloads).map(([event, { payload, summary }]) => [
    event,
    {
      post: {
        operationId: `on${event.charAt(0).toUpperCase()}${event.slice(1)}`,
        tags: [tag],
        summary: summary.replace(/\.$/, ''),
        description: `${summary} Sent to ${audiences[event] ?? `endpoints that subscribe to \`${event}\``}; signed where the endpoint has a secret.`,
        security: [],
        parameters: [...parameters, ...[ownHeaders[event]].flatMap((own) => (own ? [parameterOf(own)] : []))],
        requestBody: { required: true, content: content(payload, shared) },
        responses: {
          '2XX': { description: 'You have it.' },
          410: { description: 'You want no more events: the endpoint is disabled, its deliveries are held.' },
          default: { description: 'A failure: the delivery is retried while it has attempts left.' },
        },
      },
    },
  ]);
  return Object.fromEntries(entries);
}
