import type { JSX, RefObject } from 'preact';
import { href, navigate, type Query } from '../../client/router.ts';
import { SearchBox } from '../../components/search-box.tsx';
import { alertCodes, codeTitles, severities, severityNames } from '../../model.ts';
import { alertFilterNames } from './filter-chips.tsx';
import { SavedViews } from './saved-views.tsx';

/** The filters of the address in the form of the API. */
export function filtersOf(query: URLSearchParams): Query {
  return Object.fromEntries(alertFilterNames.flatMap((name) => (query.has(name) ? [[name, query.getAll(name)]] : [])));
}

const statuses = [
  ['open', 'Open'],
  ['active', 'Active'],
  ['acknowledged', 'Acknowledged'],
  ['escalated', 'Escalated'],
  ['resolved', 'Resolved'],
  ['all', 'All'],
] as const;

/** Filters for alerts that nobody is notified of now. */
const quiets = [
  ['snoozed', 'Snoozed'],
  ['maintenance', 'In maintenance'],
] as const;

type Props = { query: URLSearchParams; groups: readonly string[]; search: RefObject<HTMLInputElement | null> };

/** The filters of the list. All are in the address, so that a view can be bookmarked or sent to a colleague. */
export function AlertFilters({ query, groups, search }: Props): JSX.Element {
  const status = query.get('status') ?? 'open';
  return (
    <search class="filters">
      <SearchBox
        label="Search alerts"
        placeholder="Search camera, site, code"
        asked={query.get('q') ?? ''}
        onAsk={(text) => change(query, 'q', text ? [text] : [], true)}
        input={search}
        shortcut="/"
      />
      <SeverityPicks query={query} />
      <Choice
        label="State"
        value={status}
        options={statuses}
        onChange={(value) => change(query, 'status', value === 'open' ? [] : [value])}
      />
      <Choice
        label="Group"
        value={query.get('groupId') ?? ''}
        options={[['', 'All groups'], ...groups.map((group) => [group, group] as const)]}
        onChange={(value) => change(query, 'groupId', value ? [value] : [])}
      />
      <Choice
        label="Code"
        value={query.get('code') ?? ''}
        options={[['', 'All codes'], ...alertCodes.map((code) => [code, `${code} ${codeTitles[code]}`] as const)]}
        onChange={(value) => change(query, 'code', value ? [value] : [])}
      />
      <Choice
        label="Kept quiet"
        value={quiets.find(([name]) => query.get(name) === 'true')?.[0] ?? ''}
        options={[['', 'Not snoozed'], ...quiets]}
        onChange={(value) => {
          for (const [name] of quiets) change(query, name, name === value ? ['true'] : [], true);
        }}
      />
      <Choice
        label="Order"
        value={query.get('orderBy') ?? ''}
        options={[
          ['', 'Newest first'],
          ['timestamp asc', 'Oldest first'],
          ['urgency desc', 'Most urgent first'],
        ]}
        onChange={(value) => change(query, 'orderBy', value ? [value] : [])}
      />
      <SavedViews query={query} />
    </search>
  );
}

function SeverityPicks({ query }: Pick<Props, 'query'>): JSX.Element {
  return (
    <fieldset class="severity-picks">
      <legend class="unseen">Severity</legend>
      {severities.map((severity) => {
        const chosen = query.getAll('severity');
        const isOn = chosen.includes(severity);
        const next = isOn ? chosen.filter((one) => one !== severity) : [...chosen, severity];
        return (
          <button
            key={severity}
            type="button"
            class={`badge pick-sev sev-${severity}`}
            aria-pressed={isOn}
            onClick={() => change(query, 'severity', next)}
          >
            {severityNames[severity]}
          </button>
        );
      })}
    </fieldset>
  );
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}): JSX.Element {
  const isKnown = options.some(([option]) => option === value);
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {isKnown ? null : <option value={value}>{value}</option>}
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
}

function change(query: URLSearchParams, name: string, values: readonly string[], replace = false): void {
  // Uses the present address, because another filter may have changed it since this one was drawn.
  const next = new URLSearchParams(location.hash.split('?')[1] ?? query);
  next.delete(name);
  for (const value of values) next.append(name, value);
  const path = location.hash.replace(/^#\//, '').split('?')[0]?.split('/').map(decodeURIComponent) ?? ['alerts'];
  navigate(href(path, next), { replace });
}
