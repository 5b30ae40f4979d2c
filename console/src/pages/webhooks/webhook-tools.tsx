import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Delivery } from '../../../../shared/schema/delivery/delivery.ts';
import type { ReplayAnswer, Webhook, WebhookExplanation } from '../../../../shared/schema/webhook/webhook.ts';
import { at, call, write } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href, navigate, searchOf } from '../../client/router.ts';
import { CameraName } from '../../components/alert/camera-name.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Time } from '../../components/time.tsx';
import { say, sayFailure } from '../../components/toast.tsx';
import { plural } from '../../format.ts';

type Tool = 'test' | 'rotate-secret' | 'promote-secret' | 'explain' | 'replay';
type Outcome = { tool: Tool; data: unknown };
type Props = { webhook: Webhook; onSecret: (secret: string) => void; onChanged: () => unknown };

/** Runs the endpoint's tools one at a time and keeps the last result. */
function useTools({ webhook, onSecret, onChanged }: Props) {
  const [busy, setBusy] = useState<Tool | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const use = async (tool: Tool, body: unknown = {}) => {
    setBusy(tool);
    try {
      const data = await write<unknown>('POST', at('webhooks', webhook.webhookId, tool), body);
      setOutcome({ tool, data });
      const secret = (data as { secret?: string } | null)?.secret;
      if (tool === 'rotate-secret' && secret) onSecret(secret);
      if (tool.endsWith('secret')) onChanged();
      return data;
    } catch (error) {
      sayFailure(error);
      return null;
    } finally {
      setBusy(null);
    }
  };
  return { busy, outcome, use };
}

/** Tests an endpoint, rotates its secret, and sends failed deliveries again. */
export function WebhookTools(props: Props): JSX.Element | null {
  const { secretPromotesAt } = props.webhook;
  const { busy, outcome, use } = useTools(props);
  const [asked, setAsked] = useState<Asked | null>(null);
  const count = async () => {
    const answer = (await use('replay', { since: yesterday(), dryRun: true })) as ReplayAnswer | null;
    if (!answer) return;
    if (answer.matched === 0) say(nothingToReplay(answer));
    else if (answer.matched > unasked) setAsked('replay');
    else await replay();
  };
  const replay = async () => {
    const answer = (await use('replay', { since: yesterday() })) as ReplayAnswer | null;
    if (!answer) return;
    const rest = answer.remaining > 0 ? ` ${answer.remaining} more wait: replay again.` : '';
    say(`Sending ${plural(answer.replayed, 'delivery', 'deliveries')} again.${rest}`);
  };
  const button = (tool: Tool, name: string, onUse: () => unknown = () => use(tool)) => (
    <ToolButton tool={tool} name={name} busy={busy} onUse={() => void onUse()} />
  );
  if (!useMay('webhooks:write')) return null;
  return (
    <section class="panel">
      <div class="buttons">
        {button('test', 'Send a test')}
        {button('explain', 'Explain filter')}
        {button('replay', 'Replay failed', count)}
        {button('rotate-secret', 'Rotate secret', () => setAsked('rotate-secret'))}
        {secretPromotesAt ? button('promote-secret', 'Promote new secret', () => setAsked('promote-secret')) : null}
        <span class="spacer" />
        <button type="button" class="button danger" onClick={() => setAsked('delete')}>
          Delete
        </button>
      </div>
      {secretPromotesAt ? (
        <p class="quiet">
          Two secrets sign until <Time at={secretPromotesAt} form="full" />.
        </p>
      ) : null}
      <div aria-live="polite">{outcome ? <OutcomeOf outcome={outcome} /> : null}</div>
      {outcome?.tool === 'test' ? null : <LastTest webhookId={props.webhook.webhookId} />}
      {asked ? (
        <Question
          asked={asked}
          webhook={props.webhook}
          matched={(outcome?.data as ReplayAnswer | null)?.matched ?? 0}
          onReplay={replay}
          onUse={use}
          onClose={() => setAsked(null)}
        />
      ) : null}
    </section>
  );
}

/** What waits is sent by itself, and is not sent twice. */
function waitingWords({ waiting }: ReplayAnswer): string {
  return waiting > 0 ? ` ${plural(waiting, 'delivery', 'deliveries')} still on the way by themselves.` : '';
}

function nothingToReplay(answer: ReplayAnswer): string {
  return `No delivery of the last 24 hours failed or was held.${waitingWords(answer)}`;
}

/** More deliveries than this are sent again only after a question. */
const unasked = 25;

const yesterday = (): string => new Date(Date.now() - 86_400_000).toISOString();

type Asked = 'replay' | 'delete' | 'rotate-secret' | 'promote-secret';
type QuestionProps = {
  asked: Asked;
  webhook: Webhook;
  onUse: (tool: Tool) => Promise<unknown>;
  matched: number;
  onReplay: () => Promise<unknown>;
  onClose: () => void;
};

function Question({ asked, webhook, matched, onReplay, onUse, onClose }: QuestionProps): JSX.Element {
  const remove = async () => {
    try {
      await call('DELETE', at('webhooks', webhook.webhookId));
      navigate(href(['webhooks']));
    } catch (error) {
      sayFailure(error);
    }
  };
  if (asked === 'delete') {
    return (
      <Confirm title="Delete this endpoint?" action="Delete" onConfirm={remove} onClose={onClose}>
        <p class="notice">
          {webhook.url} gets {webhook.events.join(' and ')} events{webhook.enabled ? '' : ' (it is disabled now)'}.
        </p>
        <p>It gets no more events, and waiting deliveries are not sent. Its secret is deleted for good.</p>
      </Confirm>
    );
  }
  if (asked !== 'replay') return <SecretQuestion asked={asked} onUse={onUse} onClose={onClose} />;
  return (
    <Confirm title="Replay" action="Send again" isHarmless onConfirm={onReplay} onClose={onClose}>
      {plural(matched, 'delivery', 'deliveries')} of the last 24 hours failed or {matched === 1 ? 'was' : 'were'} held.
      Each keeps its id, so that receivers recognize a repetition.
    </Confirm>
  );
}

function SecretQuestion({
  asked,
  onUse,
  onClose,
}: Pick<QuestionProps, 'onUse' | 'onClose'> & { asked: 'rotate-secret' | 'promote-secret' }): JSX.Element {
  if (asked === 'rotate-secret') {
    return (
      <Confirm title="Rotate the secret?" action="Rotate" onConfirm={() => onUse('rotate-secret')} onClose={onClose}>
        Every receiver behind this address must learn the new secret: both sign for 24 hours, then only the new one. It
        is shown once.
      </Confirm>
    );
  }
  return (
    <Confirm
      title="Promote the new secret?"
      action="Promote"
      onConfirm={() => onUse('promote-secret')}
      onClose={onClose}
    >
      From now on only the new secret signs: a receiver that knows the old one alone refuses what comes.
    </Confirm>
  );
}

function ToolButton({
  tool,
  name,
  busy,
  onUse,
}: {
  tool: Tool;
  name: string;
  busy: Tool | null;
  onUse: () => void;
}): JSX.Element {
  return (
    <button
      type="button"
      class={tool === 'test' ? 'button primary' : 'button'}
      disabled={busy !== null}
      onClick={onUse}
    >
      {busy === tool ? `${name} …` : name}
    </button>
  );
}

function OutcomeOf({ outcome }: { outcome: Outcome }): JSX.Element | null {
  if (outcome.tool === 'test') return <TestOutcome delivery={outcome.data as Delivery} />;
  return outcome.tool === 'explain' ? <Explained explanation={outcome.data as WebhookExplanation} /> : null;
}

function Explained({ explanation: { detections } }: { explanation: WebhookExplanation }): JSX.Element {
  if (detections.length === 0) return <p class="notice">There is no recent detection to explain the filter with.</p>;
  return (
    <ul class="explain">
      {detections.map(({ sessionId, deviceId, deviceName, timestamp, wanted, refusedBy, deliveryStatus }) => (
        <li key={sessionId}>
          <span class={wanted ? 'chip good' : 'chip'}>{wanted ? 'wanted' : 'left out'}</span>{' '}
          <CameraName of={{ deviceId, deviceName }} /> <Time at={timestamp} />{' '}
          <span class="quiet">
            {[...refusedBy.map(({ member, detail }) => `${member}: ${detail}`), deliveryStatus]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The last test among the newest deliveries. */
function LastTest({ webhookId }: { webhookId: string }): JSX.Element | null {
  const recent = `/v1/deliveries?${searchOf({ webhookId, pageSize: '20' })}`;
  const { data } = useResource<{ deliveries: Delivery[] }>(recent);
  const last = data?.deliveries.find(({ eventType }) => eventType === 'test');
  if (!last) return null;
  return (
    <>
      <p class="quiet">
        The last test, <Time at={last.createdAt} form="age" />:
      </p>
      <TestOutcome delivery={last} />
    </>
  );
}

function TestOutcome({ delivery }: { delivery: Delivery }): JSX.Element {
  const attempt = delivery.attempts.at(-1);
  if (!attempt) return <p class="notice">The test waits to be sent: {delivery.heldReason ?? delivery.status}.</p>;
  const isGood = attempt.errorClass === null;
  return (
    <div class={isGood ? 'notice good' : 'notice problem'}>
      <strong>{isGood ? 'The endpoint took the test.' : `The test failed: ${attempt.errorClass}.`}</strong>{' '}
      {attempt.statusCode ? `Status ${attempt.statusCode}` : ''} after {Math.round(attempt.durationMs)} ms.{' '}
      {attempt.detail ?? ''}
      {attempt.responseExcerpt ? <pre>{attempt.responseExcerpt}</pre> : null}
    </div>
  );
}
