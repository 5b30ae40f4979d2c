import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { at } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { href, navigate } from '../../client/router.ts';
import { ActionButtons } from '../../components/action/action-buttons.tsx';
import type { ChangingAction } from '../../components/action/actions.ts';
import { Moment } from '../../components/action/moment.tsx';
import { Context } from '../../components/alert/context.tsx';
import { NobodyTold } from '../../components/alert/nobody-told.tsx';
import { SeverityBadge, StatusChip } from '../../components/alert/severity.tsx';
import { Icon } from '../../components/icons.tsx';
import { Show } from '../../components/states.tsx';
import { codeTitles } from '../../model.ts';
import { AlertStory } from './alert-story.tsx';

/** What the operator has in view of an open alert, for whoever acts on it. */
export type OpenAlert = { alert: Alert | null; etag: string | null };
type Props = {
  alertId: string;
  backTo: string;
  /** Grows with each action: time to read anew. */
  done: number;
  seen: { current: OpenAlert };
  onAction: (action: ChangingAction) => void;
};

/** One alert: what it is, what may be done with it now, and all that happened. */
export function AlertDetail({ alertId, backTo, done, seen, onAction }: Props): JSX.Element {
  const alert = useResource<Alert>(at('alerts', alertId), { on: ['alert'] });
  const { reload } = alert;
  useEffect(() => {
    if (done > 0) void reload();
  }, [done, reload]);
  seen.current = { alert: alert.data, etag: alert.etag };
  return (
    <article class="pane detail-pane" aria-label="Alert">
      <a class="back" href={backTo} onClick={() => navigate(backTo)}>
        <Icon name="back" /> All alerts
      </a>
      <Show of={alert} lines={10}>
        {(data) => (
          <>
            <Head alert={data} />
            {data.resolved ? null : <NobodyTold />}
            <ActionButtons of={data} onAction={onAction} />
            <Facts alert={data} />
            <Context context={data.context} />
            <AlertStory alert={data} changes={done} />
          </>
        )}
      </Show>
    </article>
  );
}

function Head({ alert }: { alert: Alert }): JSX.Element {
  return (
    <header class="alert-head">
      <p class="row">
        <SeverityBadge severity={alert.severity} />
        <span class="code">{alert.code}</span>
        <StatusChip alert={alert} />
        {alert.priority ? <span class="chip">{alert.priority}</span> : null}
        {alert.flapping ? <span class="chip">Flapping</span> : null}
      </p>
      <h2>{alert.message}</h2>
      <p class="quiet">
        {codeTitles[alert.code]} · {alert.category}
      </p>
    </header>
  );
}

function Facts({ alert }: { alert: Alert }): JSX.Element {
  return (
    <dl class="facts">
      <div>
        <dt>Camera</dt>
        <dd>
          <a href={href(['devices', alert.deviceId])}>{alert.deviceName ?? alert.deviceId}</a>{' '}
          <span class="quiet">{alert.deviceName ? `${alert.deviceId} · ${alert.groupId}` : alert.groupId}</span>
        </dd>
      </div>
      <Moment name="Began" at={alert.timestamp} />
      <Moment name="Last seen" at={alert.lastSeenAt} />
      <div>
        <dt>Occurrences</dt>
        <dd>{alert.occurrences}</dd>
      </div>
      <Moment name="Acknowledged" at={alert.acknowledgedAt} by={alert.acknowledgedBy} />
      <Moment name="Escalated" at={alert.escalatedAt} by={alert.team ? `to ${alert.team}` : null} />
      <Moment name="Snoozed until" at={alert.snoozedUntil} />
      <Moment name="Resolved" at={alert.resolvedAt} by={alert.resolution} />
    </dl>
  );
}
