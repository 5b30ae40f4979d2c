import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { WebhookHealth } from '../../../../shared/schema/webhook/health.ts';
import type { Webhook, WebhookWithSecret } from '../../../../shared/schema/webhook/webhook.ts';
import { at, call, write } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { kept } from '../../client/kept.ts';
import { type Resource, useResource } from '../../client/resource.ts';
import { href, navigate, type Route } from '../../client/router.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Check } from '../../components/form.tsx';
import { Icon } from '../../components/icons.tsx';
import { Show } from '../../components/states.tsx';
import { say } from '../../components/toast.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { hostOf } from './endpoint-words.ts';
import { EndpointState, HealthLine } from './endpoints.tsx';
import { Pending } from './pending.tsx';
import { keptNameOf } from './webhook-draft.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookTools } from './webhook-tools.tsx';

/** Creates an endpoint, and then shows its secret for the only time. */
export function NewWebhookPage(): JSX.Element {
  const [created, setCreated] = useState<WebhookWithSecret | null>(null);
  const done = (webhook: Webhook) => navigate(href(['webhooks', webhook.webhookId]));
  const create = async (body: unknown) => {
    const webhook = await write<WebhookWithSecret>('POST', '/v1/webhooks', body);
    say('Endpoint created.');
    if (webhook.secret) setCreated(webhook);
    else done(webhook);
  };
  return (
    <section class="pane narrow">
      <BackToWebhooks />
      <header class="page-head">
        <h1>New endpoint</h1>
      </header>
      <WebhookForm webhook={null} onSave={create} />
      {created?.secret ? <SecretOnce secret={created.secret} onClose={() => done(created)} /> : null}
    </section>
  );
}

/** One endpoint: its health, tools, configuration and deliveries. */
export function WebhookPage({ route }: { route: Route }): JSX.Element {
  const webhookId = route.path[1] ?? '';
  const webhook = useResource<Webhook>(at('webhooks', webhookId));
  const list = useResource<{ health: WebhookHealth[] }>('/v1/webhook-health?pageSize=200', { everyMs: 60_000 });
  const health = list.data?.health.find((each) => each.webhookId === webhookId) ?? null;
  const reload = () => {
    webhook.reload();
    list.reload();
  };
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <section class="pane narrow">
      <BackToWebhooks />
      {webhook.data ? null : <h1 class="unseen">Endpoint</h1>}
      <Show of={webhook} lines={12}>
        {(data) => (
          <>
            <header class="page-head">
              <h1 class="address">{hostOf(data.url)}</h1>
              <EndpointState health={health} />
            </header>
            <HealthLine health={health} />
            {data.disabledReason ? <p class="notice problem">Disabled by the service: {data.disabledReason}</p> : null}
            {data.pending ? <Pending webhook={data} onChanged={reload} /> : null}
            <WebhookTools webhook={data} onSecret={setSecret} onChanged={reload} />
            <Edit webhook={webhook} data={data} />
          </>
        )}
      </Show>
      <section class="panel">
        <header class="panel-head">
          <h2>Deliveries</h2>
          <a href={href(['review'], { webhookId })}>Manual review</a>
        </header>
        <DeliveryList query={{ webhookId, pageSize: '20' }} />
      </section>
      {secret ? <SecretOnce secret={secret} onClose={() => setSecret(null)} /> : null}
    </section>
  );
}

function Edit({ webhook, data }: { webhook: Resource<Webhook>; data: Webhook }): JSX.Element | null {
  const mayWrite = useMay('webhooks:write');
  const [isBegun] = useState(() => kept(keptNameOf(data)) !== null);
  if (!mayWrite) return null;
  const save = async (body: unknown, etag: string | null) => {
    const path = at('webhooks', data.webhookId);
    const answer = await call<Webhook>('PATCH', path, { body, ifMatch: etag }).catch(async (error) => {
      await webhook.reload();
      throw error;
    });
    webhook.replace(answer.data, answer.etag);
    say('Endpoint saved.');
  };
  return (
    <details class="edit" open={isBegun}>
      <summary>Configuration</summary>
      <WebhookForm webhook={data} etag={webhook.etag} onSave={save} />
    </details>
  );
}

/** The secret is shown only this once, so no unrelated key closes the dialog. */
function SecretOnce({ secret, onClose }: { secret: string; onClose: () => void }): JSX.Element {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog title="The secret, shown once" onClose={onClose} isHeld>
      <p>Keep it where your receiver verifies signatures. It cannot be shown again.</p>
      <p class="secret">
        <code>{secret}</code> <CopyButton text={secret} label="Copy the secret" />
      </p>
      <footer class="buttons">
        <Check label="I have stored it" checked={isStored} onChange={setStored} />
        <button type="button" class="button primary" disabled={!isStored} onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}

function BackToWebhooks(): JSX.Element {
  return (
    <a class="back" href={href(['webhooks'])}>
      <Icon name="back" /> All endpoints
    </a>
  );
}
