import type { JSX } from 'preact';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { href } from '../../client/router.ts';
import { Moment } from '../../components/action/moment.tsx';
import { actorOf } from '../../components/action/trail-words.ts';
import { SeverityBadge, StatusChip } from '../../components/alert/severity.tsx';
import { incidentOf } from '../../components/incident/incident-words.ts';
import { Time } from '../../components/time.tsx';
import { codeTitles } from '../../model.ts';

export function AlertHead({ alert }: { alert: Alert }): JSX.Element {
  return (
    <header class="alert-head">
      <p class="row">
        <SeverityBadge severity={alert.severity} />
        <span class="code">{alert.code}</span>
        <StatusChip alert={alert} />
        {alert.priority ? <span class="chip">{alert.priority}</span> : null}
        {alert.flapping ? <span class="chip wait">Flapping</span> : null}
      </p>
      <h2>{alert.message}</h2>
      <p class="quiet">
        {codeTitles[alert.code]} · {alert.category}
      </p>
    </header>
  );
}

const endings: Record<NonNullable<Alert['resolution']>, string> = {
  manual: 'by hand',
  automatic: 'by itself',
  superseded: 'superseded: it went on in another alert',
  moved: 'its camera moved to another group',
  deleted: 'its camera was deleted',
};

/** Notes about the alert's history that explain its present state, such as flapping. */
export function AlertTurns({ alert }: { alert: Alert }): JSX.Element | null {
  const { worsenedAt, flapping, resolved, resolution } = alert;
  const isWorse = worsenedAt !== null && !resolved;
  const isContinued = resolution === 'superseded' || resolution === 'moved';
  if (!isWorse && !(flapping && !resolved) && !isContinued) return null;
  return (
    <ul class="notice turns">
      {isWorse ? (
        <li>
          <strong>It got worse</strong> <Time at={worsenedAt} form="age" />
          by a further step since people were first notified.
        </li>
      ) : null}
      {flapping && !resolved ? (
        <li>
          <strong>It comes and goes.</strong> People were notified once, and it stays open until it has been quiet for
          10 minutes.
        </li>
      ) : null}
      {resolution === 'moved' ? (
        <li>
          <strong>Moved.</strong> Its camera moved to another group while it was open; the history says who moved it.{' '}
          <OpenOnCamera alert={alert} />
        </li>
      ) : null}
      {resolution === 'superseded' ? (
        <li>
          <strong>Superseded.</strong> A graver alert took its place; the history says which.{' '}
          <OpenOnCamera alert={alert} />
        </li>
      ) : null}
    </ul>
  );
}

function OpenOnCamera({ alert }: { alert: Alert }): JSX.Element {
  return <a href={href(['devices', alert.deviceId])}>What is open on the camera</a>;
}

export function AlertFacts({ alert }: { alert: Alert }): JSX.Element {
  const { acknowledgedBy, resolution } = alert;
  const incidentId = incidentOf(alert);
  return (
    <dl class="facts">
      <div>
        <dt>Camera</dt>
        <dd>
          <a href={href(['devices', alert.deviceId])}>{alert.deviceName ?? alert.deviceId}</a>{' '}
          <span class="quiet">{alert.deviceName ? `${alert.deviceId} · ${alert.groupId}` : alert.groupId}</span>
        </dd>
      </div>
      {incidentId ? (
        <div>
          <dt>Belongs to</dt>
          <dd>
            <a href={href(['incidents', incidentId])}>An incident</a>{' '}
            <span class="quiet">notified and escalated in its place</span>
          </dd>
        </div>
      ) : null}
      <Moment name="Began" at={alert.timestamp} />
      <Moment name="Last seen" at={alert.lastSeenAt} />
      <Moment name="Got worse" at={alert.worsenedAt} />
      <div>
        <dt>Occurrences</dt>
        <dd>{alert.occurrences}</dd>
      </div>
      <Moment name="Acknowledged" at={alert.acknowledgedAt} by={acknowledgedBy ? actorOf(acknowledgedBy) : null} />
      <Moment name="Escalated" at={alert.escalatedAt} by={alert.team ? `to ${alert.team}` : null} />
      <Moment name="Snoozed until" at={alert.snoozedUntil} />
      <Moment name="Resolved" at={alert.resolvedAt} by={resolution ? endings[resolution] : null} />
    </dl>
  );
}
