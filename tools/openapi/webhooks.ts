import { webhookPayloads } from '../../shared/schema/webhook/events.ts';
import { content, type Shared } from './operations.ts';

const delivery = '3c3dd9c4-8f6f-5b63-9a1c-0d1c8e6d1f10';
const signature = 'sha256=5c7fb72d3baf8397a08825f45f2ea6f177f841d5d3f0b7d9e0030ffce528ffaa';
const withSecret = 'Where the endpoint has a secret.';
/** The headers of a request to an endpoint, as the sender of webhooks writes them: name, meaning, example, and whether they always stand. */
const headers: [name: string, description: string, example: string, isRequired?: true][] = [
  ['X-Service-Event', "The event's type.", 'alert', true],
  ['X-Service-Delivery', 'Id of the delivery: the same in every attempt and redelivery.', delivery, true],
  ['X-Service-Attempt', '1 and up.', '1', true],
  ['X-Service-Timestamp', `${withSecret} Time of this attempt, seconds since 1970.`, '1795168800'],
  [
    'X-Service-Signature',
    `${withSecret} HMAC-SHA256 over timestamp, a dot and the body, in lower-case hex.`,
    signature,
  ],
  ['webhook-id', `${withSecret} The delivery, as Standard Webhooks call it.`, delivery],
  ['webhook-timestamp', `${withSecret} The same time for Standard Webhooks.`, '1795168800'],
  [
    'webhook-signature',
    `${withSecret} Signatures of Standard Webhooks, divided by spaces.`,
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
];

/** The requests that endpoints get, one for each event. */
export function webhooks(tag: string, shared: Shared): Record<string, object> {
  const parameters = headers.map(([name, description, example, isRequired = false]) => {
    const key = name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
    shared.parameters[key] = {
      name,
      in: 'header',
      required: isRequired,
      description,
      schema: { type: 'string' },
      example,
    };
    return { $ref: `#/components/parameters/${key}` };
  });
  const entries = Object.entries(webhookPayloads).map(([event, { payload, summary }]) => [
    event,
    {
      post: {
        operationId: `on${event.charAt(0).toUpperCase()}${event.slice(1)}`,
        tags: [tag],
        summary: summary.replace(/\.$/, ''),
        description: `${summary} Sent to endpoints that subscribe to \`${event}\`; signed where the endpoint has a secret.`,
        security: [],
        parameters,
        requestBody: { required: true, content: content(payload, shared) },
        responses: {
          '2XX': { description: 'You have it.' },
          410: { description: 'You want no more: the endpoint is disabled, its deliveries are held.' },
          default: { description: 'A failure: the delivery is tried again, as the attempts of the endpoint allow.' },
        },
      },
    },
  ]);
  return Object.fromEntries(entries);
}
