import type { Reference } from './kind.ts';

/** The groups and the schedule that a filter of events names. @param within where the filter is */
export function filterReferences(filter: unknown, within: Reference['path']): Reference[] {
  const { groups = [], schedule } = (filter ?? {}) as { groups?: string[]; schedule?: string };
  const named = groups.map((name, at) => ({ to: 'group' as const, name, path: [...within, 'groups', at] }));
  const when = { to: 'schedule', name: schedule ?? '', path: [...within, 'schedule'] } as const;
  return [...named, ...(schedule === undefined ? [] : [when])];
}
