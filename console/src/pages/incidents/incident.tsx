import type { JSX } from 'preact';
import type { Incident } from '../../../../shared/schema/incident/incident.ts';
import { at } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href, type Route } from '../../client/router.ts';
import { isAbout } from '../../client/stream.ts';
import { useRecordTitle } from '../../client/title.ts';
import { useActing } from '../../components/action/acting.ts';
import { ActionButtons } from '../../components/action/action-buttons.tsx';
import { ActionDialog } from '../../components/action/action-dialogs.tsx';
import { Moment } from '../../components/action/moment.tsx';
import { Story } from '../../components/action/story.tsx';
import { actorOf } from '../../components/action/trail-words.ts';
import { NobodyNotified } from '../../components/alert/nobody-notified.tsx';
import { SeverityBadge, StatusChip } from '../../components/alert/severity.tsx';
import { Icon } from '../../components/icons.tsx';
import { incidentKind, memberWords, scopeOf } from '../../components/incident/incident-words.ts';
import { Show } from '../../components/states.tsx';
import { Course, EarlierHere } from './course.tsx';
import { IncidentAlerts } from './incident-alerts.tsx';

/** The stream does not report how many cameras are back, so the page also reads the incident at this interval. */
const everyMs = 60_000;

/** One incident: its facts and evidence, the possible actions, and its history. */
export function IncidentPage({ route }: { route: Route }): JSX.Element {
  const incidentId = route.path[1] ?? '';
  const incident = useResource<Incident>(at('incidents', incidentId), {
    on: ['incident'],
    isAbout: isAbout('incidents', incidentId),
    everyMs,
  });
  const { asked, ask, submit, done, close } = useActing(incidentKind, incidentId, incident, useMay('alerts:write'));
  useRecordTitle(incident.data?.title);
  return (
    <section class="pane narrow">
      <a class="back" href={href(['incidents'])}>
        <Icon name="back" /> All incidents
      </a>
      {incident.data ? null : <h1 class="unseen">Incident</h1>}
      <Show of={incident} lines={10}>
        {(data) => (
          <>
            <Head incident={data} />
            {data.status === 'resolved' ? null : <NobodyNotified />}
            <ActionButtons of={data} onAction={ask} />
            <ToMaintenance incident={data} />
            <Members incident={data} />
            <Course incident={data} />
            <Evidence evidence={data.evidence} />
            <IncidentAlerts incidentId={incidentId} />
            <EarlierHere incident={data} />
            <Story noun="incidents" id={incidentId} changes={done} everyMs={everyMs} />
          </>
        )}
      </Show>
      {asked ? <ActionDialog asked={asked} onSubmit={(body) => submit(asked, body)} onClose={close} /> : null}
    </section>
  );
}

function Head({ incident }: { incident: Incident }): JSX.Element {
  const { severity, priority, title, message, startedAt, endedAt, acknowledgedAt, acknowledgedBy } = incident;
  return (
    <header class="alert-head">
      <p class="row">
        <SeverityBadge severity={severity} />
        <StatusChip alert={incident} />
        {priority ? <span class="chip">{priority}</span> : null}
        {incident.maintenance ? <span class="chip wait">In maintenance</span> : null}
      </p>
      <h1>{title}</h1>
      {message === title ? null : <p class="lead">{message}</p>}
      <dl class="facts">
        <div>
          <dt>Concerns</dt>
          <dd>{scopeOf(incident)}</dd>
        </div>
        <Moment name="Began" at={startedAt} />
        <Moment name="Over" at={endedAt} />
        <Moment name="Acknowledged" at={acknowledgedAt} by={acknowledgedBy ? actorOf(acknowledgedBy) : null} />
        <Moment name="Escalated" at={incident.escalatedAt} by={incident.team ? `to ${incident.team}` : null} />
        <Moment name="Snoozed until" at={incident.snoozedUntil} />
        <Moment name="Resolved" at={incident.resolvedAt} />
      </dl>
    </header>
  );
}

/** Keeps the place of an incident quiet while somebody works there. */
function ToMaintenance({ incident: { scope, status } }: { incident: Incident }): JSX.Element | null {
  const mayPlan = useMay('settings:write');
  if (!mayPlan || status === 'resolved' || scope.kind === 'platform') return null;
  const listed: Record<string, string> = { site: 'sites', group: 'groups', device: 'devices' };
  const member = listed[scope.kind];
  const about = member ? { [member]: scope.id } : { parents: `${scope.kind}:${scope.id}` };
  return (
    <a
      class="button to-maintenance"
      href={href(['maintenance', 'new'], { ...about, name: `Work at ${scope.name ?? scope.id}` })}
    >
      Put in maintenance
    </a>
  );
}

/** The number of members now, the highest number, and those that have ended. */
function Members({ incident }: { incident: Incident }): JSX.Element {
  const { members } = incident;
  if (!members) return <p class="notice">How many cameras it concerns is for those who see all groups.</p>;
  const words = memberWords(incident);
  const counts = [members.now, members.peak, members.back];
  return (
    <dl class="panel members" aria-label="Cameras">
      {words.map((word, index) => (
        <div key={word}>
          <dd>{counts[index]?.toLocaleString()}</dd>
          <dt>{word}</dt>
        </div>
      ))}
    </dl>
  );
}

function Evidence({ evidence }: { evidence: readonly string[] }): JSX.Element | null {
  if (evidence.length === 0) return null;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>How it is known</h2>
      </header>
      <ul class="plain-list">
        {evidence.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
