import type { Variables } from '../../../tools/installation/terraform.ts';
import type { Ground, Sources } from '../../../tools/release/steps.ts';
import type { deathAt } from './installation.ts';

/** The builds of two releases: `probes` is the same in both. */
export const before: Sources = {
  api: 'api-1',
  deadline: 'deadline-1',
  deliver: 'deliver-1',
  ingest: 'ingest-1',
  probes: 'probes-1',
};
export const after: Sources = {
  api: 'api-2',
  deadline: 'deadline-2',
  deliver: 'deliver-2',
  ingest: 'ingest-2',
  probes: 'probes-1',
};

type Change = {
  faults?: string[];
  gone?: string[];
  refusesWrites?: boolean;
  lacks?: string;
  /** The function whose new build makes `/ready` unhealthy. */
  unhealthyWith?: string | null;
};

/** An installation that is released into: what each function runs follows from the pins, as in Terraform, and what must not be is noticed. */
export function startRelease(given: Change = {}) {
  let variables: Variables = {};
  let running: Sources = { ...before };
  let hasIndexes = false;
  const seen: string[] = [];
  const wrongs: string[] = [];
  const ground: Ground = {
    terraform: {
      async apply(change) {
        variables = { ...variables, ...change };
        const next = Object.fromEntries(
          Object.entries(after).map(([name, source]) => [name, variables.pinned_sources?.[name] ?? source]),
        );
        const changed = Object.keys(next).filter((name) => next[name] !== running[name]);
        if (changed.length > 1) wrongs.push(`${changed.join(', ')} change at once`);
        if (changed.length > 0 && !hasIndexes) wrongs.push(`${changed.join(', ')} change before the indexes are ready`);
        seen.push(changed.length === 0 ? 'nothing changes; all is there that is new' : `${changed.join(', ')} changes`);
        running = next;
      },
      takenAway: async () => given.gone ?? [],
      output: async () => running,
    },
    site: {
      refusesWrites: async () => given.refusesWrites ?? false,
      fault: async () => {
        const name = given.unhealthyWith;
        return name && running[name] === after[name] ? `${name} is unhealthy` : null;
      },
    },
    faultsWith: () => given.faults ?? [],
    async makeIndexes() {
      if (given.lacks) throw new Error(given.lacks);
      hasIndexes = true;
      seen.push('indexes are ready');
      return '';
    },
    smoke: async () => {
      seen.push('smoke');
      return '';
    },
    pause: async () => {},
  };
  return {
    ground,
    seen,
    wrongs,
    running: () => running,
    /** The same for a process that may die at each of its calls. */
    mortal: ({ mortal, around }: ReturnType<typeof deathAt>): Ground => ({
      ...ground,
      terraform: mortal(ground.terraform),
      site: mortal(ground.site),
      makeIndexes: () => around(ground.makeIndexes),
      smoke: () => around(ground.smoke),
    }),
  };
}
