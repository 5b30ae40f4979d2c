// Plans the restore of the database, and performs the part of it that is inside the restored database (docs/recovery.md).
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import google from '@google-cloud/firestore';
import { ArgumentError, readArguments, runCommand } from '../local/stack/arguments.ts';
import { recordRestore, settleRestore } from '../shared/app/restored/restore.ts';
import { type Admin, makeLacks, stopExpiry, type Wanted } from './indexes/database.ts';
import { planOf, type Recovery } from './restore/plan.ts';
import { worldOn } from './restore/service.ts';

const usage = `npm run restore -- --outputs FILE --from backup|time --as-of T --database NEW --plan|--apply

--plan prints every step with the names of this installation. --apply performs the steps without a command, after the database was restored and before
anything resumes; where it is cut off, call it again. FILE: terraform output -json recovery > FILE`;

await runCommand(async () => {
  const flags = readArguments(usage, {
    outputs: { type: 'string', default: '', value: 'FILE', about: 'what terraform output -json recovery printed' },
    from: { type: 'string', default: 'backup', value: 'F', about: 'backup or time (backup)' },
    'as-of': { type: 'string', default: '', value: 'T', about: 'the state that comes back: the time of the backup' },
    database: { type: 'string', default: '', value: 'NEW', about: 'the restored database' },
    plan: { type: 'boolean', default: false, about: 'only print the steps' },
    apply: { type: 'boolean', default: false, about: 'perform the steps inside the restored database' },
  });
  const { outputs, from, database, plan, apply } = flags;
  if (from !== 'backup' && from !== 'time') throw new ArgumentError('--from is backup or time');
  if (outputs === '' || plan === apply)
    throw new ArgumentError('--outputs, and either --plan or --apply, are required');
  const recovery = JSON.parse(readFileSync(outputs, 'utf8')) as Recovery;
  const steps = planOf(recovery, { database, asOf: flags['as-of'], from }, Date.now());
  for (const [index, { what, commands }] of steps.entries()) {
    console.log(`${index + 1}. ${what}`);
    for (const command of commands.length > 0 ? commands : ['(npm run restore -- --apply)'])
      console.log(`     ${command}`);
  }
  if (apply) await applied(recovery, database, new Date(flags['as-of']).toISOString());
});

async function applied(
  { project, serving_database: serving }: Recovery,
  database: string,
  asOf: string,
): Promise<void> {
  const client = new google.v1.FirestoreAdminClient({ projectId: project });
  const admin = client as unknown as Admin;
  const wanted = JSON.parse(readFileSync('firestore.indexes.json', 'utf8')) as Wanted;
  await makeLacks(admin, `projects/${project}/databases/${database}`, wanted, () => setTimeout(10_000), console.log);
  await stopExpiry(admin, `projects/${project}/databases/${serving}`);
  await client.close();
  const db = new google.Firestore({ projectId: project, databaseId: database });
  const world = worldOn(db);
  await recordRestore(world, asOf);
  const { at, quietUntil, dismissed } = await settleRestore(world);
  await db.terminate();
  console.log(`From ${asOf} to ${at} is lost; ${dismissed} messages to people are not sent.`);
  console.log(`Nobody is notified of what began before until ${quietUntil}. Go on with the last step at once.`);
}
