import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Delivery } from '../../../../shared/schema/delivery/delivery.ts';
import type { Webhook } from '../../../../shared/schema/webhook/webhook.ts';
import { at, write } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { Confirm } from '../../components/dialog.tsx';
import { say, sayFailure } from '../../components/toast.tsx';

type Props = { webhook: Webhook; onChanged: () => unknown };

/** What a pending endpoint waits for, and the two ways to continue: challenge it again, or mark it as proven. */
export function Pending({ webhook: { webhookId, url }, onChanged }: Props): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const mayWrite = useMay('webhooks:write');
  const act = async (action: () => Promise<void>) => {
    setBusy(true);
    await action().catch(sayFailure);
    setBusy(false);
    onChanged();
  };
  const challenge = () =>
    act(async () => {
      const { status, attempts } = await write<Delivery>('POST', at('webhooks', webhookId, 'challenge'));
      const why = attempts.at(-1)?.detail ?? 'It has not answered yet.';
      say(status === 'delivered' ? 'The endpoint wants events.' : why, { isProblem: status !== 'delivered' });
    });
  const prove = () =>
    act(async () => {
      await write<Webhook>('POST', at('webhooks', webhookId, 'prove'));
      say('The endpoint counts as proven.');
    });
  return (
    <div class="notice">
      <p>
        <strong>It has not yet proven that it wants events.</strong> It was sent a challenge that its answer must echo;
        until then its deliveries are held.
      </p>
      {mayWrite ? (
        <p class="buttons">
          <button type="button" class="button primary" disabled={isBusy} onClick={() => void challenge()}>
            {isBusy ? 'Asking …' : 'Ask again'}
          </button>
          <button type="button" class="button" disabled={isBusy} onClick={() => setAsked(true)}>
            Mark as proven
          </button>
        </p>
      ) : null}
      {isAsked ? (
        <Confirm title="Mark as proven?" action="Mark as proven" onConfirm={prove} onClose={() => setAsked(false)}>
          You say for its owner that {url} wants these events. What was held goes out at once. Only who is not limited
          to groups can say so.
        </Confirm>
      ) : null}
    </div>
  );
}
