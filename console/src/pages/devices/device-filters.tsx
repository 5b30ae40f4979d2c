import type { JSX } from 'preact';
import { useGroups } from '../../client/groups.ts';
import { href, navigate, type Route } from '../../client/router.ts';
import { SearchBox } from '../../components/search-box.tsx';
import { SelectFilter } from '../../components/select-filter.tsx';
import { useSites } from './sites.ts';

const presences = [
  ['', 'Any state'],
  ['offline', 'Offline'],
  ['online', 'Online'],
  ['unknown', 'Unknown'],
  ['never-seen', 'Never seen'],
] as const;
/** Filters without a box, which links of other pages set. */
const narrowing = ['parent', 'tag', 'model', 'firmware'] as const;
/** Members of the address that narrow the list. */
export const deviceFilters = ['state', 'groupId', 'site', 'q', ...narrowing] as const;

/** The filters of the list of devices, all in the address. */
export function DeviceFilters({ route }: { route: Route }): JSX.Element {
  const { query } = route;
  const site = query.get('site') ?? '';
  const groups = useGroups();
  const sites = useSites();
  const ask = (text: string) => {
    const next = new URLSearchParams(location.hash.split('?')[1] ?? '');
    if (text) next.set('q', text);
    else next.delete('q');
    navigate(href(['devices'], next), { replace: true });
  };
  return (
    <search class="filters">
      <SearchBox
        label="Search devices"
        placeholder="Search id, name or site"
        asked={query.get('q') ?? ''}
        onAsk={ask}
      />
      <SelectFilter
        label="Group"
        name="groupId"
        value={query.get('groupId') ?? ''}
        options={[['', 'All groups'], ...groups.map((group) => [group, group] as const)]}
        route={route}
      />
      <SelectFilter
        label="Site"
        name="site"
        value={site}
        options={[['', 'All sites'], ...withChosen(sites, site).map((each) => [each, each] as const)]}
        route={route}
      />
      <SelectFilter label="State" name="state" value={query.get('state') ?? ''} options={presences} route={route} />
      {narrowing.map((name) => (
        <Narrowed key={name} name={name} route={route} />
      ))}
    </search>
  );
}

/** The selected site may be beyond the first page of sites. */
function withChosen(sites: readonly string[], site: string): readonly string[] {
  return site === '' || sites.includes(site) ? sites : [site, ...sites];
}

/** An active filter without a box of its own, with a button that removes it. */
function Narrowed({ name, route }: { name: string; route: Route }): JSX.Element | null {
  const value = route.query.get(name);
  if (!value) return null;
  const without = new URLSearchParams(route.query);
  without.delete(name);
  return (
    <a class="button" href={href(['devices'], without)} aria-label={`Without ${name} ${value}`}>
      {name} {value} ×
    </a>
  );
}
