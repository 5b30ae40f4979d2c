import type { World } from '../../shared/app/ports.ts';
import { keepEvidence } from '../../shared/app/restored/evidence.ts';
import { recordRestore, settleRestore } from '../../shared/app/restored/restore.ts';
import { type Admin, lacksOf, makeLacks, stopExpiry, type Wanted } from '../indexes/database.ts';
import { askForCopy, type CopyClient, type Origin } from '../installation/copies.ts';
import type { ProcedureRecord, Step } from '../installation/journal.ts';
import type { Site } from '../installation/site.ts';
import {
  bringTo,
  type Clients,
  type Recovery,
  requireStandstill,
  standstillCommands,
} from '../installation/standstill.ts';
import type { Terraform } from '../installation/terraform.ts';

/** What a restore is about. `of`: the database that serves when it begins. */
export type About = Origin & { database: string; of: string };

/** All that a restore acts on. */
export type Installation = {
  recovery: Recovery;
  wanted: Wanted;
  admin: Admin & CopyClient;
  clients: Clients;
  terraform: Terraform;
  site: Site;
  /** Acts on a database. */
  within<T>(database: string, act: (world: World) => Promise<T>): Promise<T>;
  /** The number of records in each collection of a database. */
  countsOf(database: string): Promise<Record<string, number>>;
  pause(ms: number): Promise<unknown>;
  say(line: string): void;
};

const betweenLooksMs = 10_000;
/** Looks for a function's new settings to be in effect: an hour. */
const mostLooks = 360;

type RecordOf = () => ProcedureRecord<About> | null;

/** The steps of a restore, in their order. Only what the last ones do can be seen by people and cameras. */
export function restoreSteps(installation: Installation, about: About, recordOf: RecordOf): Step[] {
  return [
    ...stopSteps(installation, recordOf),
    copyStep(installation, about),
    ...databaseSteps(installation, about),
    ...servingSteps(installation, about),
    ...endSteps(installation, about, recordOf),
  ];
}

function stopSteps({ recovery, clients, terraform, site, pause }: Installation, recordOf: RecordOf): Step[] {
  const { longest_call_seconds: longest } = recovery;
  return [
    {
      name: 'refuse',
      what: 'Terraform knows that all stands still, and the API refuses writes and streams with 503',
      commands: ['terraform apply    # with "standstill": true in operation.auto.tfvars.json'],
      async act() {
        await terraform.apply({ standstill: true });
        await until(pause, 'the API refuses writes', site.refusesWrites);
        return '';
      },
    },
    {
      name: 'stop',
      what: `nothing is handed to a function any more, and what was handed out before has ended (${longest} s): messages and tasks wait`,
      commands: standstillCommands(true, recovery),
      againUntil: 'resume',
      async act() {
        const hadWaited = recordOf()?.steps.some(({ name, found }) => name === 'stop' && found !== '') ?? false;
        const changed = await bringTo(true, recovery, clients);
        if (changed.length > 0 || !hadWaited) await pause(longest * 1000);
        return changed.length === 0 ? 'all stood still' : `stopped: ${changed.join(', ')}`;
      },
    },
  ];
}

function databaseSteps({ recovery, wanted, admin, pause, say }: Installation, { database, of }: About): Step[] {
  const { project } = recovery;
  return [
    {
      name: 'indexes',
      what: `${database} has the indexes, fields, expiry policies and backups that the code expects`,
      commands: [`npm run indexes -- --project ${project} --database ${database} --apply`],
      async act() {
        await makeLacks(admin, `projects/${project}/databases/${database}`, wanted, () => pause(betweenLooksMs), say);
        return '';
      },
    },
    {
      name: 'evidence',
      what: `${of} forgets nothing any more: it is evidence`,
      commands: [`npm run indexes -- --project ${project} --database ${of} --stop-expiry`],
      async act() {
        const stopped = await stopExpiry(admin, `projects/${project}/databases/${of}`);
        return `${stopped.length} expiry policies were stopped`;
      },
    },
  ];
}

function servingSteps({ recovery, clients, terraform, within }: Installation, { database, asOf }: About): Step[] {
  const still = () => requireStandstill(recovery, clients);
  return [
    {
      name: 'serve',
      what: `the functions use ${database}, and still handle nothing`,
      commands: [`terraform apply    # with "serving_database": "${database}" beside it`],
      async act() {
        await still();
        await terraform.apply({ standstill: true, serving_database: database });
        return '';
      },
    },
    {
      name: 'lost-time',
      what: `${database} says what it lost, and what was due in that time is settled`,
      commands: [],
      againUntil: 'resume',
      async act() {
        await still();
        const { at, dismissed, quietUntil } = await within(database, async (world) => {
          await recordRestore(world, asOf);
          return settleRestore(world);
        });
        return `from ${asOf} to ${at} is lost; ${dismissed} messages to people are not sent; nobody is notified of what began before until ${quietUntil}`;
      },
    },
    {
      name: 'resume',
      what: 'everything resumes: what waited is handled first, and the API takes writes',
      commands: ['terraform apply    # without "standstill"', ...standstillCommands(false, recovery)],
      async act() {
        await terraform.apply({ standstill: null });
        const changed = await bringTo(false, recovery, clients);
        return changed.length === 0 ? '' : `resumed besides: ${changed.join(', ')}`;
      },
    },
  ];
}

function endSteps({ recovery, site, within, pause }: Installation, about: About, recordOf: RecordOf): Step[] {
  const { base_url: base } = recovery;
  const { database, of, asOf, backup } = about;
  return [
    {
      name: 'ready',
      what: `${base}/ready calls nothing unhealthy`,
      commands: [`curl -s ${base}/ready`, `npm run smoke -- --base ${base}`],
      async act() {
        await until(pause, '/ready calls nothing unhealthy', async () => (await site.fault()) === null);
        return '';
      },
    },
    {
      name: 'record',
      what: 'the audit stream says what was restored, from what, when and how long it took',
      commands: [`curl -s '${base}/v1/audit?action=restoreDatabase'    # with a token of the scope audit:read`],
      async act() {
        const facts = { from: backup ?? `${of} at ${asOf}`, asOf, ...evidenceOf(recordOf()) };
        const entryId = `restore-${database}`;
        await within(database, (world) => keepEvidence(world, { entryId, action: 'restoreDatabase', database, facts }));
        return `an entry is kept; commit terraform/operation.auto.tfvars.json, which names ${database}`;
      },
    },
  ];
}

/** The steps of a drill: the newest backup becomes a database beside the one that serves, is read, and is removed. Nothing stands still. */
export function drillSteps(
  installation: Installation,
  about: About,
  recordOf: RecordOf,
  opens: ((world: World) => Promise<string>) | null,
): Step[] {
  const { recovery, wanted, admin, within } = installation;
  const { project } = recovery;
  const { database, of, asOf, backup } = about;
  const name = `projects/${project}/databases/${database}`;
  return [
    copyStep(installation, about),
    readStep(installation, about),
    {
      name: 'lacks',
      what: 'what a restore would still have to make is known',
      commands: [`npm run indexes -- --project ${project} --database ${database} --check`],
      act: async () => `${(await lacksOf(admin, name, wanted)).length} indexes, fields, policies and schedules`,
    },
    {
      name: 'keys',
      what: 'the data keys open a secret of the copy',
      commands: [],
      act: async () => (opens ? within(database, opens) : 'not tried: no --data-keys-file'),
    },
    {
      name: 'remove',
      what: `${database} is removed`,
      commands: [`gcloud firestore databases delete --database=${database} --project=${project}`],
      async act() {
        await admin.deleteDatabase({ name }).catch((error: { code?: number }) => {
          if (error.code !== 5) throw error;
        });
        return '';
      },
    },
    {
      name: 'record',
      what: 'the audit stream says when, from what, how long and what was checked',
      commands: [
        `curl -s '${recovery.base_url}/v1/audit?action=drillRestore'    # with a token of the scope audit:read`,
      ],
      async act() {
        const facts = { from: backup ?? of, asOf, ...evidenceOf(recordOf()) };
        await within(of, (world) =>
          keepEvidence(world, { entryId: `drill-${database}`, action: 'drillRestore', database, facts }),
        );
        return 'an entry is kept';
      },
    },
  ];
}

function readStep({ countsOf }: Installation, { database, of, asOf }: About): Step {
  return {
    name: 'read',
    what: `${database} holds what ${of} held at ${asOf}: no collection is missing`,
    commands: [],
    async act() {
      const [copied, serving] = [await countsOf(database), await countsOf(of)];
      const missing = Object.keys(serving).filter((each) => neverEmpty.includes(each) && !copied[each]);
      if (missing.length > 0) throw new Error(`nothing of ${missing.join(', ')} is in the copy`);
      const kinds = Object.keys({ ...serving, ...copied }).toSorted();
      return kinds.map((kind) => `${kind} ${copied[kind] ?? 0} of now ${serving[kind] ?? 0}`).join(', ');
    },
  };
}

/** Collections of which an installation that serves has records from its first day on. */
const neverEmpty = ['devices', 'teams', 'settings', 'platform'];

function copyStep({ recovery, admin, within, pause }: Installation, { database, of, asOf, backup }: About): Step {
  const { project } = recovery;
  const command =
    backup === null
      ? `gcloud firestore databases clone --source-database='projects/${project}/databases/${of}' --snapshot-time=${asOf} --destination-database=${database} --project=${project}`
      : `gcloud firestore databases restore --source-backup=${backup} --destination-database=${database} --project=${project}`;
  return {
    name: 'copy',
    what: `${of} as of ${asOf} becomes ${database}`,
    commands: [command],
    async act() {
      const isNew = await askForCopy(admin, { project, database, of }, { backup, asOf });
      // A copy can neither be read nor written before it is complete (firebase.google.com/docs/firestore/reference/rest/v1/projects.databases/restore).
      await until(pause, `${database} can be read`, () =>
        within(database, async ({ store }) => (await store.get('platform', ['sight'])).length > 0).catch(() => false),
      );
      return isNew ? '' : 'it had been asked for before';
    },
  };
}

/** Waits until something holds. @throws Error that names what did not come */
async function until(
  pause: (ms: number) => Promise<unknown>,
  what: string,
  holds: () => Promise<boolean>,
): Promise<void> {
  for (let looks = 0; !(await holds()); looks += 1) {
    if (looks === mostLooks) throw new Error(`an hour has passed, and it is not so that ${what}`);
    await pause(betweenLooksMs);
  }
}

function evidenceOf(record: ProcedureRecord<About> | null) {
  const steps = (record?.steps ?? []).map(({ name, beganAt, endedAt, found }) => ({ name, beganAt, endedAt, found }));
  return { beganAt: steps[0]?.beganAt ?? null, steps };
}
