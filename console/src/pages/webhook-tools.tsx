import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { at, call, write } from '../api.ts';
import { useMay } from '../auth.ts';
import { Confirm } from '../components/dialog.tsx';
import { Time } from '../components/time.tsx';
import { say, sayFailure } from '../components/toast.tsx';
import { plural } from '../format.ts';
import type { Delivery, FilterExplanation, ReplayAnswer, Webhook } from '../model.ts';
import { href, navigate } from '../router.ts';

type Tool = 'test' | 'rotate-secret' | 'promote-secret' | 'explain' | 'replay';
type Outcome = { tool: Tool; data: unknown };
type Props = { webhook: Webhook; onSecret: (secret: string) => void; onChanged: () => unknown };

/** Trying an endpoint out, changing its secret, sending again what failed. */
export function WebhookTools({ webhook, onSecret, onChanged }: Props): JSX.Element | null {
  const mayWrite = useMay('webhooks:write');
  const [busy, setBusy] = useState<Tool | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [asked, setAsked] = useState<'replay' | 'delete' | null>(null);
  if (!mayWrite) return null;
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
  const count = async () => {
    const since = new Date(Date.now() - 86_400_000).toISOString();
    if (await use('replay', { since, dryRun: true })) setAsked('replay');
  };
  const replay = async () => {
    await use('replay', { since: new Date(Date.now() - 86_400_000).toISOString() });
    say('Sending again what failed or was held in the last 24 hours.');
  };
  const remove = async () => {
    try {
      await call('DELETE', at('webhooks', webhook.webhookId));
      navigate(href(['webhooks']));
    } catch (error) {
      sayFailure(error);
    }
  };
  return (
    <section class="panel">
      <div class="buttons">
        <ToolButton tool="test" name="Send a test" busy={busy} isPrimary onUse={() => void use('test')} />
        <ToolButton tool="explain" name="Explain filter" busy={busy} onUse={() => void use('explain')} />
        <ToolButton tool="replay" name="Replay failed" busy={busy} onUse={() => void count()} />
        <ToolButton tool="rotate-secret" name="Rotate secret" busy={busy} onUse={() => void use('rotate-secret')} />
        {webhook.secretPromotesAt ? (
          <ToolButton
            tool="promote-secret"
            name="Promote new secret"
            busy={busy}
            onUse={() => void use('promote-secret')}
          />
        ) : null}
        <span class="spacer" />
        <button type="button" class="button danger" onClick={() => setAsked('delete')}>
          Delete
        </button>
      </div>
      {webhook.secretPromotesAt ? (
        <p class="quiet">
          Two secrets sign until <Time at={webhook.secretPromotesAt} form="full" />.
        </p>
      ) : null}
      <div aria-live="polite">{outcome ? <OutcomeOf outcome={outcome} /> : null}</div>
      {asked === 'replay' ? (
        <Confirm title="Replay" action="Send again" onConfirm={replay} onClose={() => setAsked(null)}>
          {plural((outcome?.data as ReplayAnswer | null)?.matched ?? 0, 'delivery', 'deliveries')} of the last 24 hours
          failed or was held. Each keeps its id, so that receivers can tell a repeat.
        </Confirm>
      ) : null}
      {asked === 'delete' ? (
        <Confirm title="Delete this endpoint?" action="Delete" onConfirm={remove} onClose={() => setAsked(null)}>
          It is told of nothing any more. Its past deliveries stay listed.
        </Confirm>
      ) : null}
    </section>
  );
}

function ToolButton({
  tool,
  name,
  busy,
  isPrimary = false,
  onUse,
}: {
  tool: Tool;
  name: string;
  busy: Tool | null;
  isPrimary?: boolean;
  onUse: () => void;
}): JSX.Element {
  return (
    <button type="button" class={isPrimary ? 'button primary' : 'button'} disabled={busy !== null} onClick={onUse}>
      {busy === tool ? `${name} …` : name}
    </button>
  );
}

function OutcomeOf({ outcome }: { outcome: Outcome }): JSX.Element | null {
  if (outcome.tool === 'test') return <TestOutcome delivery={outcome.data as Delivery} />;
  return outcome.tool === 'explain' ? <Explained explanation={outcome.data as FilterExplanation} /> : null;
}

function Explained({ explanation: { detections } }: { explanation: FilterExplanation }): JSX.Element {
  if (detections.length === 0) return <p class="notice">There is no recent detection to explain the filter with.</p>;
  return (
    <ul class="explain">
      {detections.map(({ sessionId, deviceId, timestamp, wanted, refusedBy, deliveryStatus }) => (
        <li key={sessionId}>
          <span class={wanted ? 'chip good' : 'chip'}>{wanted ? 'wanted' : 'left out'}</span> {deviceId}{' '}
          <Time at={timestamp} />{' '}
          <span class="quiet">
            {refusedBy.map(({ member, detail }) => `${member}: ${detail}`).join('; ')} {deliveryStatus ?? ''}
          </span>
        </li>
      ))}
    </ul>
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
