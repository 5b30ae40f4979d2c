import type { JSX } from 'preact';
import type { Incident } from '../../../../shared/schema/incident/incident.ts';
import type { Site, TroubledSite } from '../../../../shared/schema/place/place.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { actorOf } from '../../components/action/trail-words.ts';
import { ResponseRing } from '../../components/alert/response.tsx';
import { SeverityMark } from '../../components/alert/severity.tsx';
import { IncidentRow } from '../../components/incident/incident-row.tsx';
import { Empty, Failed, Skeleton } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { plural } from '../../format.ts';
import { type Trouble, troubleRows, troubleWords } from './trouble-rows.ts';

type Incidents = { incidents: Incident[]; nextPageToken?: string };
type Troubled = { sites: TroubledSite[]; nextPageToken?: string };
type Sites = { sites: Site[]; nextPageToken?: string };

/** Maximum number of rows. The pages of alerts and incidents show the rest. */
const shownAtMost = 12;
const current = { on: ['incident', 'fleet'], everyMs: 60_000, calmMs: 10_000 } as const;

/** What is wrong now, where, and who acknowledged it: incidents and places by urgency, and one line for all quiet places. */
export function TroubleNow({ isEmptyFleet }: { isEmptyFleet: boolean }): JSX.Element | null {
  const mayRead = useMay('alerts:read');
  const incidents = useResource<Incidents>(mayRead ? '/v1/incidents?pageSize=50' : null, current);
  const troubled = useResource<Troubled>(mayRead ? '/v1/sites/troubled?pageSize=50' : null, current);
  const failed = [incidents, troubled].filter(({ failure }) => failure);
  const isQuiet = incidents.data?.incidents.length === 0 && troubled.data?.sites.length === 0;
  // An empty fleet gets its own text above.
  if (!mayRead || (isEmptyFleet && isQuiet)) return null;
  return (
    <section class="panel now" aria-labelledby="now">
      <header class="panel-head">
        <h2 id="now">What is wrong now</h2>
        <a href={href(['alerts'], { orderBy: 'urgency desc' })}>All by urgency</a>
      </header>
      {incidents.data && troubled.data ? (
        <Rows incidents={incidents.data} troubled={troubled.data} />
      ) : failed[0]?.failure ? (
        <Failed failure={failed[0].failure} retry={() => failed.map(({ reload }) => reload())} />
      ) : (
        <Skeleton lines={3} />
      )}
    </section>
  );
}

function Rows({ incidents, troubled }: { incidents: Incidents; troubled: Troubled }): JSX.Element {
  const rows = troubleRows(incidents.incidents, troubled.sites);
  const more = rows.length - shownAtMost;
  const isMore = more > 0 || incidents.nextPageToken !== undefined || troubled.nextPageToken !== undefined;
  return (
    <>
      {rows.length === 0 ? <Empty title="No place has an open alert" /> : null}
      <ul class="incident-rows" aria-label="Incidents and places by urgency">
        {rows.slice(0, shownAtMost).map((row) => (
          <li key={row.kind === 'incident' ? row.incident.incidentId : `${row.site.groupId} ${row.site.id}`}>
            <TroubleRow row={row} />
          </li>
        ))}
      </ul>
      {isMore ? (
        <p class="quiet quiet-places">
          And {more > 0 ? more : ''} more: <a href={href(['incidents'])}>all incidents</a>,{' '}
          <a href={href(['alerts'], { orderBy: 'urgency desc' })}>all alerts</a>.
        </p>
      ) : null}
      <Quiet troubled={troubled} />
    </>
  );
}

function TroubleRow({ row }: { row: Trouble }): JSX.Element {
  return row.kind === 'incident' ? <IncidentRow incident={row.incident} /> : <PlaceRow {...row} />;
}

function PlaceRow({ site, severity }: Extract<Trouble, { kind: 'place' }>): JSX.Element {
  const { kind, id, name, groupId, oldestUnanswered, respondBy, takenBy } = site;
  const query = { groupId, orderBy: 'urgency desc', ...(kind === 'site' ? { site: id } : {}) };
  const title = name ?? id;
  return (
    <a class="incident-row place-row" href={href(['alerts'], query)}>
      <SeverityMark severity={severity} />
      <span class="what">
        <strong>
          {title} {title === groupId ? null : <span class="quiet">{groupId}</span>}
        </strong>
        <span class="quiet">
          {troubleWords(site)}
          {oldestUnanswered ? (
            <>
              {' '}
              · oldest: {oldestUnanswered.deviceName ?? oldestUnanswered.deviceId},{' '}
              <Time at={oldestUnanswered.timestamp} form="age" />
            </>
          ) : null}
        </span>
      </span>
      <span class="who quiet">{takenBy ? `some with ${actorOf(takenBy)}` : ''}</span>
      {oldestUnanswered ? (
        <ResponseRing of={{ ...oldestUnanswered, respondBy, startedAt: oldestUnanswered.timestamp }} />
      ) : (
        <span class="response response-has">All taken</span>
      )}
    </a>
  );
}

/** All places without an open alert, as one line. They are counted only once, because places rarely change. */
function Quiet({ troubled }: { troubled: Troubled }): JSX.Element | null {
  const { data } = useResource<Sites>(useMay('devices:read') ? '/v1/sites?pageSize=200' : null);
  if (!data || troubled.nextPageToken !== undefined) return null;
  const loud = new Set(troubled.sites.map(({ groupId, kind, id }) => `${groupId} ${kind} ${id}`));
  const quiet = data.sites.filter(({ groupId, kind, id }) => !loud.has(`${groupId} ${kind} ${id}`)).length;
  if (quiet === 0) return null;
  const count = `${plural(quiet, 'place')}${data.nextPageToken ? ' or more' : ''}`;
  return (
    <p class="quiet quiet-places">
      <a href={href(['devices'])}>{count}</a> without an open alert.
    </p>
  );
}
