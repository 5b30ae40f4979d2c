// Releases this checkout into an installation, function by function, or returns to what ran before (docs/deploy.md).
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { ArgumentError, readArguments, runCommand } from '../local/stack/arguments.ts';
import { faultsWith } from './indexes/compare-releases.ts';
import { lacksOf, makeLacks, type Wanted } from './indexes/database.ts';
import { connectGoogle } from './installation/google.ts';
import { fileJournal, perform, planText, type Step } from './installation/journal.ts';
import { siteAt } from './installation/site.ts';
import type { Recovery } from './installation/standstill.ts';
import { createTerraform, type Terraform } from './installation/terraform.ts';
import { type About, backSteps, type Ground, halfText, releaseSteps, type Sources } from './release/steps.ts';

const usage = `npm run release -- --var-file F --last TAG --smoke "FLAGS" --plan|--apply|--back|--contract

Releases what npm run build made of this commit: what is new first, then function by function, those that read before those that write. Terraform asks before
each apply. Where it is cut off, call it again: release.json says how far it came. --back returns to the builds that ran before; --contract takes away what the
last release needed, once no function changes. The address, SMOKE_TOKEN and SMOKE_MQTT_URL are those of npm run smoke.`;

await runCommand(async () => {
  const flags = readArguments(usage, {
    'var-file': { type: 'string', multiple: true, default: [], value: 'F', about: 'as terraform plan gets it' },
    last: { type: 'string', default: '', value: 'TAG', about: 'the release that runs, by tag or commit' },
    smoke: {
      type: 'string',
      default: '',
      value: 'FLAGS',
      about: 'flags of npm run smoke beside --base; none: not tried',
    },
    plan: { type: 'boolean', default: false, about: 'only print the steps' },
    apply: { type: 'boolean', default: false, about: 'perform the steps' },
    back: { type: 'boolean', default: false, about: 'return to the builds that ran before' },
    contract: { type: 'boolean', default: false, about: 'take away what no function needs any more' },
    'auto-approve': { type: 'boolean', default: false, about: 'Terraform does not ask' },
  });
  const { plan, apply, back, contract } = flags;
  if (flags['var-file'].length === 0 || [plan, apply, back, contract].filter(Boolean).length !== 1)
    throw new ArgumentError('--var-file, and one of --plan, --apply, --back and --contract, are required');
  if (flags.smoke === '' && !contract && !plan)
    throw new ArgumentError('--smoke: the flags of npm run smoke, or none to leave it out');
  const terraform = createTerraform('terraform', flags['var-file'], flags['auto-approve']);
  const next = builds();
  if (contract) return contracted(terraform, next);
  await (back ? returned(flags, terraform) : released(flags, terraform, next));
});

type Flags = { last: string; smoke: string; plan: boolean };
const file = 'release.json';

async function released({ last, smoke, plan }: Flags, terraform: Terraform, next: Sources): Promise<void> {
  const begun = fileJournal<About>(file).load()?.about;
  const about = begun ?? { commit: commitOf(), last, before: (await terraform.output('sources')) as Sources, next };
  if (about.last === '') throw new ArgumentError('--last: the release that runs, by its tag or commit');
  if (JSON.stringify(about.next) !== JSON.stringify(next))
    throw new Error(`${file} is about another build (${about.commit}): check that out and build it, or call --back`);
  const steps = releaseSteps(await groundOf(terraform, smoke), about);
  if (plan) for (const line of planText(steps)) console.log(line);
  else await performed(terraform, about, steps, file, '');
}

async function returned({ smoke }: Flags, terraform: Terraform): Promise<void> {
  const about = (fileJournal<About>(file).load() ?? lastRelease())?.about;
  if (!about) throw new ArgumentError(`--back: no ${file} says what ran before (docs/deploy.md, Going back)`);
  await performed(terraform, about, backSteps(await groundOf(terraform, smoke), about), 'release-back.json', '-back');
  if (existsSync(file)) renameSync(file, nameOf(about, '-left'));
  console.log('Every function runs what it ran before, and stays there until the next release.');
}

const nameOf = ({ commit }: About, suffix: string) => `release-${commit.slice(0, 12)}${suffix}.json`;

/** Performs the steps, and keeps their record under the name of the commit once they are over. */
async function performed(
  terraform: Terraform,
  about: About,
  steps: readonly Step[],
  record: string,
  suffix: string,
): Promise<void> {
  try {
    await perform(fileJournal<About>(record), about, steps, { say: console.log, now: Date.now });
    renameSync(record, nameOf(about, suffix));
  } catch (error) {
    const half = halfText(about, (await terraform.output('sources').catch(() => ({}))) as Sources);
    if (half) console.error(half);
    throw error;
  }
}

/** The record of the last release that was finished. */
function lastRelease() {
  const files = readdirSync('.').filter((name) => /^release-[0-9a-f]{12}\.json$/.test(name));
  const records = files.flatMap((name) => fileJournal<About>(name).load() ?? []);
  return records.toSorted((a, b) => ((a.steps[0]?.beganAt ?? '') < (b.steps[0]?.beganAt ?? '') ? 1 : -1))[0] ?? null;
}

async function contracted(terraform: Terraform, next: Sources): Promise<void> {
  const sources = (await terraform.output('sources')) as Sources;
  const other = Object.keys(next).filter((name) => next[name] !== sources[name]);
  if (other.length > 0) throw new Error(`${other.join(', ')} would change too: release first`);
  for (const address of await terraform.takenAway({ pinned_sources: null })) console.log(`takes away ${address}`);
  await terraform.apply({ pinned_sources: null });
}

/** The objects of the sources bucket that Terraform makes of the zips. */
function builds(): Sources {
  const zips = readdirSync('dist').filter((name) => name.endsWith('.zip'));
  if (zips.length === 0) throw new ArgumentError('dist/ holds no build: npm ci && npm run build');
  return Object.fromEntries(
    zips.map((zip) => {
      const name = zip.replace(/\.zip$/, '');
      return [
        name,
        `${name}-${createHash('sha256')
          .update(readFileSync(`dist/${zip}`))
          .digest('hex')}.zip`,
      ];
    }),
  );
}

function commitOf(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--untracked-files=no');
  if (changed !== '') throw new ArgumentError(`a release is of a commit, and files differ from it:\n${changed}`);
  return git('rev-parse', 'HEAD');
}

async function groundOf(terraform: Terraform, smoke: string): Promise<Ground> {
  const recovery = (await terraform.output('recovery')) as Recovery;
  const { project, database: own, serving_database: database, base_url: base } = recovery;
  return {
    terraform,
    site: siteAt(base),
    faultsWith,
    async makeIndexes() {
      const { admin, close } = connectGoogle(project);
      const name = `projects/${project}/databases/${database}`;
      const wanted = JSON.parse(readFileSync('firestore.indexes.json', 'utf8')) as Wanted;
      try {
        if (database !== own) await makeLacks(admin, name, wanted, () => setTimeout(10_000), console.log);
        // Whether there are backups is a matter of the environment.
        const lacks = (await lacksOf(admin, name, wanted)).filter(({ what }) => !what.startsWith('daily backup'));
        if (lacks.length > 0) throw new Error(`${database} lacks ${lacks.map(({ what }) => what).join(', ')}`);
        return database;
      } finally {
        await close();
      }
    },
    async smoke() {
      if (smoke === 'none') return 'not tried';
      const args = ['tools/smoke.ts', '--base', base, ...smoke.split(' ').filter((flag) => flag !== '')];
      const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
      if (status !== 0)
        throw new Error(`the smoke test ended with ${status}: call --back to return to what ran before`);
      return '';
    },
    pause: setTimeout,
  };
}
