import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { at } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { navigate } from '../../client/router.ts';
import { isAbout } from '../../client/stream.ts';
import { useRecordTitle } from '../../client/title.ts';
import { ActionButtons } from '../../components/action/action-buttons.tsx';
import type { ChangingAction } from '../../components/action/actions.ts';
import { Story } from '../../components/action/story.tsx';
import { nameOf } from '../../components/alert/alert-actions.ts';
import { EarlierAlerts, Outlook, PresenceStrip, Runbook } from '../../components/alert/beside.tsx';
import { Context } from '../../components/alert/context.tsx';
import { NobodyNotified } from '../../components/alert/nobody-notified.tsx';
import { Why } from '../../components/alert/why.tsx';
import { Icon } from '../../components/icons.tsx';
import { Show } from '../../components/states.tsx';
import { AlertFacts, AlertHead, AlertTurns } from './alert-facts.tsx';

/** The open alert as the operator sees it, for actions on it. */
export type OpenAlert = { alert: Alert | null; etag: string | null };
type Props = {
  alertId: string;
  backTo: string;
  /** Increases with each action, so that the page reads again. */
  done: number;
  seen: { current: OpenAlert };
  onAction: (action: ChangingAction) => void;
};

/** One alert: its facts, the possible actions, and its history. */
export function AlertDetail({ alertId, backTo, done, seen, onAction }: Props): JSX.Element {
  const alert = useResource<Alert>(at('alerts', alertId), { on: ['alert'], isAbout: isAbout('alerts', alertId) });
  const { reload } = alert;
  useEffect(() => {
    if (done > 0) void reload();
  }, [done, reload]);
  useRecordTitle(alert.data && nameOf(alert.data));
  seen.current = { alert: alert.data, etag: alert.etag };
  return (
    <article class="pane detail-pane" aria-label="Alert">
      <a class="back" href={backTo} onClick={() => navigate(backTo)}>
        <Icon name="back" /> All alerts
      </a>
      <Show of={alert} lines={10}>
        {(data) => (
          <>
            <AlertHead alert={data} />
            {data.code === 'CONN_001' && !data.resolved ? <Why deviceId={data.deviceId} /> : null}
            {data.resolved ? null : <NobodyNotified />}
            <Outlook alert={data} changes={done} />
            <ActionButtons of={data} onAction={onAction} />
            <AlertTurns alert={data} />
            <AlertFacts alert={data} />
            <Context context={data.context} />
            {data.resolved ? null : <Runbook alert={data} />}
            <PresenceStrip deviceId={data.deviceId} />
            <EarlierAlerts alert={data} />
            <Story noun="alerts" id={data.alertId} changes={done} />
          </>
        )}
      </Show>
    </article>
  );
}
