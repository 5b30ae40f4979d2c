import type { JSX } from 'preact';
import type { AuditEntry } from '../../../../shared/schema/audit/audit.ts';
import { visible } from '../../bytes.ts';
import { href, type Route } from '../../client/router.ts';
import { Expandable } from '../../components/expandable.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { Time } from '../../components/time.tsx';
import { changeWords } from './audit-words.ts';

/** The pages of records, by kind. Other kinds have none of their own. */
const pages: Partial<Record<string, string>> = {
  alerts: 'alerts',
  incidents: 'incidents',
  devices: 'devices',
  rules: 'rules',
  webhooks: 'webhooks',
  'maintenance-windows': 'maintenance',
};

/** One entry: who did what to which record, and the changed members before and after. */
export function AuditItem({ entry, route }: { entry: AuditEntry; route: Route }): JSX.Element {
  const { at, subject, address, action, resource, outcome, reason, count } = entry;
  return (
    <Expandable
      summary={
        <>
          <span class={outcome === 'done' ? 'chip' : 'chip wait'}>{outcome}</span>
          <Time at={at} />
          <span class="who">{visible(subject ?? address ?? 'several')}</span>
          <span class="what">
            <code>{action}</code> <span class="quiet">{visible(named(resource))}</span>
            {entry.before || entry.after ? <span class="changed">{visible(changeWords(entry))}</span> : null}
          </span>
          <span class="last quiet">
            {reason ?? ''} {count === undefined ? '' : `× ${count}`}
          </span>
        </>
      }
      buttons={null}
    >
      {() => <Details entry={entry} route={route} />}
    </Expandable>
  );
}

const named = (resource: AuditEntry['resource']): string =>
  resource === null ? '' : `${resource.kind} ${resource.id ?? ''}`;

function Details({ entry, route }: { entry: AuditEntry; route: Route }): JSX.Element {
  const { at, subject, issuer, address, requestId, action, resource, before, after } = entry;
  const only = (name: string, value: string) => {
    const query = new URLSearchParams(route.query);
    query.set(name, value);
    return href(route.path, query);
  };
  const facts: Fact[] = [
    ['When', <Time key="at" at={at} form="full" />],
    ['Subject', subject === null ? null : <a href={only('subject', subject)}>{visible(subject)}</a>],
    [
      'Action',
      <a key="action" href={only('action', action)}>
        {action}
      </a>,
    ],
    ['Record', resource === null ? null : <Resource resource={resource} />],
    ['Address', address],
    ['Issuer', issuer === null ? null : visible(issuer)],
    ['Request', requestId === null ? null : <code key="request">{requestId}</code>],
  ];
  return (
    <div class="opened">
      <Facts facts={facts} />
      {before || after ? <Changes before={membersOf(before)} after={membersOf(after)} /> : null}
    </div>
  );
}

function Resource({ resource }: { resource: NonNullable<AuditEntry['resource']> }): JSX.Element {
  const text = visible(named(resource));
  const page = pages[resource.kind];
  if (resource.id === null || page === undefined) return <>{text}</>;
  return <a href={href([page, resource.id])}>{text}</a>;
}

type Members = Readonly<Record<string, unknown>>;
const membersOf = (members: object | undefined): Members | null => (members ? (members as Members) : null);

/** The changed members. If the record was created or deleted, one column says so. */
function Changes({ before, after }: { before: Members | null; after: Members | null }): JSX.Element {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">Member</th>
          <th scope="col">{before ? 'Before' : 'Before (not there)'}</th>
          <th scope="col">{after ? 'After' : 'After (removed)'}</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">{visible(name)}</th>
            <td>{shown(before, name)}</td>
            <td>{shown(after, name)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function shown(members: Members | null, name: string): JSX.Element | string {
  if (!members || !Object.hasOwn(members, name)) return '–';
  const value = members[name];
  return <code>{visible(typeof value === 'string' ? value : JSON.stringify(value))}</code>;
}
