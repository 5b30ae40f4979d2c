import { createHandoffSender } from '../../../shared/adapters/channels/handoff/handoff-sender.ts';
import type { OutboundAnswer, OutboundClient, OutboundRequest } from '../../../shared/adapters/outbound/client.ts';
import type { Sender, Store } from '../../../shared/app/ports.ts';
import type { HandoffDraft } from '../../../shared/schema/settings/handoff.ts';
import type { HandoffKind } from '../../../shared/schema/settings/handoff-kinds.ts';
import { box } from '../world/secret-box.ts';
import {
  answered,
  apiKey,
  createAlertmanager,
  createGeneric,
  createOpsgenie,
  createPagerduty,
  createServicenow,
  password,
  routingKey,
  type StandIn,
} from './stand-ins.ts';

/** A hand-off of each kind. */
export const draftOf: Record<HandoffKind, HandoffDraft> = {
  pagerduty: { kind: 'pagerduty', name: 'Pager', credential: routingKey },
  opsgenie: { kind: 'opsgenie', name: 'Genie', credential: apiKey },
  servicenow: {
    kind: 'servicenow',
    name: 'Dispatcher',
    settings: { url: 'https://example.service-now.com', user: 'watchpost' },
    credential: password,
  },
  alertmanager: {
    kind: 'alertmanager',
    name: 'Manager',
    settings: { url: 'https://alertmanager.example.com', labels: { environment: 'test' } },
  },
  generic: {
    kind: 'generic',
    name: 'Other',
    settings: {
      url: 'https://tickets.example.com/in',
      header: 'X-Api-Key',
      template: '{"id":"{{key}}","what":"{{action}}","text":"{{title}}: {{text}}"}',
    },
    credential: apiKey,
  },
};

const hosts: Record<string, HandoffKind> = {
  'events.pagerduty.com': 'pagerduty',
  'api.opsgenie.com': 'opsgenie',
  'example.service-now.com': 'servicenow',
  'alertmanager.example.com': 'alertmanager',
  'tickets.example.com': 'generic',
};

/** The stand-ins of all products. `take` gives a request to the one at its host and records both the request and the answer. */
export function createReceivers(nowMs: () => number) {
  const standIns: Record<HandoffKind, StandIn> = {
    pagerduty: createPagerduty(),
    opsgenie: createOpsgenie(),
    servicenow: createServicenow(),
    alertmanager: createAlertmanager(),
    generic: createGeneric(),
  };
  const requests: { kind: HandoffKind; at: number; request: OutboundRequest; answer: OutboundAnswer }[] = [];
  const kindOf = ({ url }: OutboundRequest): HandoffKind => {
    const kind = hosts[new URL(url).host];
    if (!kind) throw new Error(`nobody is at ${url}`);
    return kind;
  };
  const take = (request: OutboundRequest): OutboundAnswer => {
    const kind = kindOf(request);
    const answer = answered(standIns[kind].take(request, nowMs()));
    requests.push({ kind, at: nowMs(), request, answer });
    return answer;
  };
  return { standIns, requests, take };
}

/** The real sender with `send` as its network. */
export function senderTo(store: Pick<Store, 'get'>, now: () => string, send: OutboundClient['send']): Sender {
  const config = { consoleUrl: 'https://console.example.com' };
  return createHandoffSender({ config, store, box, client: { send }, now });
}
