import type { JSX } from 'preact';
import type { EgressRanges, Webhook } from '../../../../shared/schema/webhook/webhook.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Icon } from '../../components/icons.tsx';
import { Empty, Show } from '../../components/states.tsx';
import { Endpoints } from './endpoints.tsx';

export function WebhookTabs({ current }: { current: 'endpoints' | 'review' | 'deliveries' }): JSX.Element {
  const tabs = [
    ['endpoints', 'Endpoints', href(['webhooks'])],
    ['review', 'Manual review', href(['review'])],
    ['deliveries', 'Deliveries', href(['deliveries'])],
  ] as const;
  return (
    <nav class="tabs" aria-label="Webhooks and deliveries">
      {tabs.map(([id, name, address]) => (
        <a key={id} href={address} aria-current={id === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** The endpoints that customers configured, and the addresses that our requests come from. */
export function WebhooksPage(): JSX.Element {
  const list = useResource<{ webhooks: Webhook[] }>('/v1/webhooks?pageSize=200');
  const mayWrite = useMay('webhooks:write');
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Webhooks</h1>
        <WebhookTabs current="endpoints" />
        <span class="spacer" />
        {mayWrite ? (
          <a class="button primary" href={href(['webhooks', 'new'])}>
            <Icon name="plus" /> New endpoint
          </a>
        ) : null}
      </header>
      <Show of={list} lines={6}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty title="No endpoints yet">
              An endpoint is an HTTPS address of yours that receives detections and alerts.
            </Empty>
          ) : (
            <Endpoints webhooks={webhooks} />
          )
        }
      </Show>
      <Egress />
    </section>
  );
}

function Egress(): JSX.Element {
  const ranges = useResource<EgressRanges>('/v1/egress-ranges');
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Where requests come from</h2>
      </header>
      <p class="quiet">If a firewall protects your endpoint, allow these address ranges, those on standby too.</p>
      <Show of={ranges} lines={2}>
        {(list) => {
          if (list.length === 0) return <Empty title="No ranges are configured" />;
          return (
            <ul class="egress">
              {list.map(({ region, cidrs, standby }) => (
                <li key={region}>
                  <strong>{region}</strong> {standby && <span class="quiet">standby</span>}{' '}
                  <code>{cidrs.join(' ')}</code>
                  <CopyButton text={cidrs.join('\n')} label={`Copy the ranges of ${region}`} />
                </li>
              ))}
            </ul>
          );
        }}
      </Show>
    </section>
  );
}
