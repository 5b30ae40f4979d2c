import type { Step } from '../installation/journal.ts';
import type { Site } from '../installation/site.ts';
import type { Terraform } from '../installation/terraform.ts';

/** The build that each function runs, as `terraform output sources` says it. */
export type Sources = Record<string, string>;

/** What a release is about. `last`: the release before it, by its tag or commit. */
export type About = { commit: string; last: string; before: Sources; next: Sources };

/** All that a release acts on. */
export type Ground = {
  terraform: Terraform;
  site: Site;
  /** Why the two releases cannot serve from one database. */
  faultsWith(last: string): string[];
  /** Makes the indexes of a restored database, which Terraform does not know; waits until all are ready. @throws Error that names what is missing */
  makeIndexes(): Promise<string>;
  /** Sends a report through the installation. @throws Error where a hop is broken */
  smoke(): Promise<string>;
  pause(ms: number): Promise<unknown>;
};

/**
 * What reads comes before what writes: `deliver` reads what all others wrote, `deadline` all but the answers of people, `ingest` and `api` write most, and
 * `probes` is read by nobody but a person.
 */
const order = ['deliver', 'deadline', 'ingest', 'api', 'probes'];
const betweenLooksMs = 10_000;
/** Looks for `/ready` after a function changed: ten minutes. */
const mostLooks = 60;

/** The functions of a release in the order in which they change. */
function inOrder({ next }: Pick<About, 'next'>): string[] {
  const unknown = Object.keys(next).filter((name) => !order.includes(name));
  return [...order.filter((name) => name in next), ...unknown.toSorted()];
}

/** The steps of a release. Each of them leaves an installation that works. */
export function releaseSteps(ground: Ground, about: About): Step[] {
  const { terraform, site, faultsWith, makeIndexes, smoke } = ground;
  const { before, next, last, commit } = about;
  const names = inOrder(about);
  return [
    {
      name: 'compare',
      what: `${last} and this release serve from one database: each has the indexes of the other's queries`,
      commands: [`node tools/index-release.ts ${last}`],
      async act() {
        const faults = faultsWith(last);
        if (faults.length > 0) throw new Error(faults.join('\n'));
        if (await site.refusesWrites()) throw new Error('the API refuses writes: a restore is under way');
        return '';
      },
    },
    {
      name: 'expand',
      what: 'all that is new is there beside what was, indexes first; every function runs the build that it ran',
      commands: ['terraform apply    # with every function in "pinned_sources" of operation.auto.tfvars.json'],
      async act() {
        const gone = await terraform.takenAway({ pinned_sources: before });
        if (gone.length > 0)
          throw new Error(
            `it would take away ${gone.join(', ')}, which ${last} may need: release without that, then call this with --contract`,
          );
        await terraform.apply({ pinned_sources: before });
        return '';
      },
    },
    {
      name: 'indexes',
      what: 'every index, field and expiry policy of the database that serves is ready',
      commands: ['npm run indexes -- --project PROJECT --database DATABASE --check'],
      act: makeIndexes,
    },
    ...names.map(
      (name, index): Step => ({
        name: `deploy ${name}`,
        what:
          before[name] === next[name]
            ? `${name} is in this release what it was`
            : `${name} runs the build of ${commit.slice(0, 12)}, and /ready calls nothing unhealthy`,
        commands:
          before[name] === next[name] ? [] : [`terraform apply    # with ${name} taken out of "pinned_sources"`],
        async act() {
          if (before[name] === next[name]) return '';
          return change(ground, pinsOf(before, names.slice(index + 1)), { name, source: next[name] ?? '' });
        },
      }),
    ),
    {
      name: 'smoke',
      what: 'a report goes through every hop',
      commands: ['npm run smoke -- --base BASE_URL …'],
      act: smoke,
    },
  ];
}

/** The steps back to the builds that ran before, the last that changed first. What was added stays. */
export function backSteps(ground: Ground, about: About): Step[] {
  const { before, next } = about;
  const names = inOrder(about);
  return [
    ...names.toReversed().map(
      (name): Step => ({
        name: `return ${name}`,
        what: `${name} runs ${before[name]}`,
        commands: [`terraform apply    # with ${name} in "pinned_sources"`],
        async act() {
          if (before[name] === next[name]) return 'it was not changed';
          const sources = (await ground.terraform.output('sources')) as Sources;
          if (sources[name] === before[name]) return 'it ran that already';
          const place = names.indexOf(name);
          return change(ground, pinsOf(before, names.slice(place)), { name, source: before[name] ?? '' });
        },
      }),
    ),
    { name: 'smoke', what: 'a report goes through every hop', commands: [], act: ground.smoke },
  ];
}

/** Those that are not named run what stands in `dist/`. */
function pinsOf(sources: Sources, names: readonly string[]): Sources | null {
  const pins = Object.fromEntries(names.flatMap((name) => (sources[name] ? [[name, sources[name]] as const] : [])));
  return names.length === 0 ? null : pins;
}

async function change(
  { terraform, site, pause }: Ground,
  pins: Sources | null,
  { name, source }: { name: string; source: string },
): Promise<string> {
  await terraform.apply({ pinned_sources: pins });
  const sources = (await terraform.output('sources')) as Sources;
  if (sources[name] !== source) throw new Error(`${name} runs ${sources[name]} and not ${source}`);
  for (let looks = 0; ; looks += 1) {
    const fault = await site.fault();
    if (fault === null) return source;
    if (looks === mostLooks) throw new Error(`ten minutes after ${name} changed: ${fault}`);
    await pause(betweenLooksMs);
  }
}

/** What stands between two releases, in words. Null: every function runs the one or the other. */
export function halfText({ before, next, commit }: About, sources: Sources): string | null {
  const changing = inOrder({ next }).filter((name) => before[name] !== next[name]);
  const moved = changing.filter((name) => sources[name] === next[name]);
  const left = changing.filter((name) => !moved.includes(name));
  if (moved.length === 0 || left.length === 0) return null;
  return (
    `HALF A RELEASE: ${moved.join(', ')} run ${commit.slice(0, 12)}, ${left.join(', ')} what they ran before. ` +
    'Both serve from one database. Call --apply to go on, or --back to return.'
  );
}
