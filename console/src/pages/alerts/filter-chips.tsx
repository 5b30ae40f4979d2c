import type { JSX } from 'preact';
import { href } from '../../client/router.ts';
import { fullTime } from '../../format.ts';
import { type AlertCode, codeTitles, severityNames } from '../../model.ts';

/** The names of filters, in the order of their chips. Contains every parameter that the list uses. */
const names: Record<string, string> = {
  q: 'Search',
  status: 'State',
  severity: 'Severity',
  code: 'Code',
  category: 'Category',
  groupId: 'Group',
  site: 'Site',
  deviceId: 'Camera',
  incidentId: 'Incident',
  priority: 'Priority',
  snoozed: 'Snoozed',
  maintenance: 'In maintenance',
  since: 'Since',
  until: 'Until',
  orderBy: 'Order',
};
/** Members of the address that narrow or order the list. */
export const alertFilterNames = Object.keys(names);

/** A chip for each active filter, which removes the filter. */
export function FilterChips({ query }: { query: URLSearchParams }): JSX.Element | null {
  const chips = alertFilterNames.flatMap((name) => query.getAll(name).map((value) => [name, value] as const));
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters in force">
      {chips.map(([name, value]) => (
        <li key={`${name} ${value}`}>
          <a class="chip chip-filter" href={href(['alerts'], without(query, name, value))}>
            <span class="unseen">Remove </span>
            {names[name]}: {wordsOf(name, value)} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
      <li>
        <a class="chip chip-filter" href={href(['alerts'])}>
          Clear all
        </a>
      </li>
    </ul>
  );
}

export function without(query: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(query);
  next.delete(name);
  for (const other of query.getAll(name)) if (other !== value) next.append(name, other);
  return next;
}

const orders: Record<string, string> = {
  'timestamp desc': 'newest first',
  'timestamp asc': 'oldest first',
  'urgency desc': 'most urgent first',
};

function wordsOf(name: string, value: string): string {
  if (name === 'severity') return (severityNames as Record<string, string>)[value] ?? value;
  if (name === 'code') return `${value} ${codeTitles[value as AlertCode] ?? ''}`;
  if (name === 'orderBy') return orders[value] ?? value;
  if (name === 'since' || name === 'until') return Number.isNaN(Date.parse(value)) ? value : fullTime(value);
  if (value === 'true') return 'yes';
  return value === 'false' ? 'no' : value;
}
