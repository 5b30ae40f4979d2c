// Restores the database of an installation, or drills it (docs/recovery.md).
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import google from '@google-cloud/firestore';
import { ArgumentError, readArguments, runCommand } from '../local/stack/arguments.ts';
import type { World } from '../shared/app/ports.ts';
import type { Wanted } from './indexes/database.ts';
import { newestBackup, type Origin, stateAt } from './installation/copies.ts';
import { connectGoogle } from './installation/google.ts';
import { fileJournal, perform, planText } from './installation/journal.ts';
import { siteAt } from './installation/site.ts';
import type { Recovery } from './installation/standstill.ts';
import { createTerraform } from './installation/terraform.ts';
import { opensSecret, worldOn } from './restore/service.ts';
import { type About, drillSteps, type Installation, restoreSteps } from './restore/steps.ts';

const usage = `npm run restore -- --outputs FILE --database NEW --from backup|time [--as-of T] --plan|--apply

Restores the database of an installation into another one, NEW, and makes the service go on with it. --plan prints every step; --apply performs them:
Terraform asks before each of its three applies. Where it is cut off, call it again: restore-NEW.json says how far it came. --drill copies the newest backup
into NEW, reads it and removes it; nothing stands still. FILE: terraform output -json recovery > FILE`;

const nameOfDatabase = /^[a-z][a-z0-9-]{2,61}[a-z0-9]$/;

await runCommand(async () => {
  const flags = readArguments(usage, {
    outputs: { type: 'string', default: '', value: 'FILE', about: 'what terraform output -json recovery printed' },
    from: { type: 'string', default: 'backup', value: 'F', about: 'backup or time (backup)' },
    'as-of': { type: 'string', value: 'T', about: 'the state that is wanted; of backups the newest until then (now)' },
    database: { type: 'string', default: '', value: 'NEW', about: 'name of the new database' },
    'var-file': { type: 'string', multiple: true, default: [], value: 'F', about: 'as terraform plan gets it' },
    'data-keys-file': { type: 'string', value: 'F', about: 'copy of the data keys, for --drill' },
    plan: { type: 'boolean', default: false, about: 'only print the steps' },
    apply: { type: 'boolean', default: false, about: 'perform the steps' },
    drill: { type: 'boolean', default: false, about: 'perform a drill' },
    'auto-approve': { type: 'boolean', default: false, about: 'Terraform does not ask' },
  });
  const { outputs, database, plan, drill } = flags;
  refuseUnclear(flags);
  const recovery = JSON.parse(readFileSync(outputs, 'utf8')) as Recovery;
  const { project, serving_database: of } = recovery;
  const { admin, clients, close } = connectGoogle(project);
  const installation: Installation = {
    ...{ recovery, admin, clients, say: console.log, pause: setTimeout },
    within: (name, act) => onDatabase(project, name, (db) => act(worldOn(db))),
    countsOf: (name) => onDatabase(project, name, countsIn),
    wanted: JSON.parse(readFileSync('firestore.indexes.json', 'utf8')) as Wanted,
    terraform: createTerraform('terraform', flags['var-file'], flags['auto-approve']),
    site: siteAt(recovery.base_url),
  };
  try {
    const journal = fileJournal<About>(`${drill ? 'drill' : 'restore'}-${database}.json`);
    const begun = journal.load()?.about;
    if (!begun && database === of)
      throw new ArgumentError(`--database: ${of} is the one that serves; a restore goes to a new one`);
    const about: About = begun ?? { ...(await originOf(flags, installation)), database, of };
    const recordOf = () => journal.load();
    const steps = drill
      ? drillSteps(installation, about, recordOf, opensWith(flags['data-keys-file']))
      : restoreSteps(installation, about, recordOf);
    if (plan) for (const line of planText(steps)) console.log(line);
    else await perform(journal, about, steps, { say: console.log, now: Date.now });
  } finally {
    await close();
  }
});

type Flags = {
  outputs: string;
  from: string;
  'as-of'?: string | undefined;
  database: string;
  'var-file': string[];
  plan: boolean;
  apply: boolean;
  drill: boolean;
};

/** @throws ArgumentError that names the flag at fault */
function refuseUnclear({ outputs, from, database, plan, apply, drill, ...more }: Flags): void {
  const asOf = more['as-of'];
  if (from !== 'backup' && from !== 'time') throw new ArgumentError('--from is backup or time');
  if (outputs === '' || [plan, apply, drill].filter(Boolean).length !== 1)
    throw new ArgumentError('--outputs, and one of --plan, --apply and --drill, are required');
  if (apply && more['var-file'].length === 0) throw new ArgumentError('--apply needs --var-file, as terraform plan');
  if (!nameOfDatabase.test(database))
    throw new ArgumentError('--database: 4 to 63 lower-case letters, digits and hyphens');
  if (asOf !== undefined && Number.isNaN(Date.parse(asOf)))
    throw new ArgumentError('--as-of: a time like 2026-11-22T10:15:00Z');
}

function originOf({ from, 'as-of': asOf }: Flags, { admin, recovery }: Installation): Promise<Origin> | Origin {
  const { project, region, serving_database: database } = recovery;
  if (from === 'time') return stateAt(asOf ?? '', Date.now());
  return newestBackup(admin, { project, region, database }, asOf === undefined ? Date.now() : Date.parse(asOf));
}

function opensWith(keysFile: string | undefined): ((world: World) => Promise<string>) | null {
  return keysFile === undefined ? null : opensSecret(readFileSync(keysFile, 'utf8').trim());
}

async function onDatabase<T>(
  projectId: string,
  databaseId: string,
  act: (db: google.Firestore) => Promise<T>,
): Promise<T> {
  const db = new google.Firestore({ projectId, databaseId });
  return act(db).finally(() => db.terminate());
}

async function countsIn(db: google.Firestore): Promise<Record<string, number>> {
  const collections = await db.listCollections();
  const counted = collections.map(async (each) => [each.id, (await each.count().get()).data().count] as const);
  return Object.fromEntries(await Promise.all(counted));
}
