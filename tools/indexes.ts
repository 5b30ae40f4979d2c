// Compares a database with firestore.indexes.json by Firestore's Admin API, and makes what it lacks (docs/recovery.md).
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import google from '@google-cloud/firestore';
import { ArgumentError, readArguments, runCommand } from '../local/stack/arguments.ts';
import { type Admin, adviceOn, lacksOf, makeLacks, stopExpiry, type Wanted } from './indexes/database.ts';

const usage = `npm run indexes -- --project P --database D --check|--apply|--stop-expiry

Compares indexes, fields, expiry policies and the backup schedule of a database with firestore.indexes.json. Ends with 1 where it lacks something.`;

await runCommand(async () => {
  const flags = readArguments(usage, {
    project: { type: 'string', default: '', value: 'P', about: 'the project' },
    database: { type: 'string', default: '', value: 'D', about: 'the database' },
    check: { type: 'boolean', default: false, about: 'only say what it lacks' },
    apply: { type: 'boolean', default: false, about: 'make what it lacks, and wait until that is ready' },
    'stop-expiry': { type: 'boolean', default: false, about: 'switch its expiry policies off: it is evidence' },
  });
  const { project, database, check, apply, 'stop-expiry': isEvidence } = flags;
  if (project === '' || database === '') throw new ArgumentError('--project and --database are required');
  if ([check, apply, isEvidence].filter(Boolean).length !== 1)
    throw new ArgumentError('exactly one of --check, --apply and --stop-expiry is required');
  const client = new google.v1.FirestoreAdminClient({ projectId: project });
  const admin = client as unknown as Admin;
  const name = `projects/${project}/databases/${database}`;
  const wanted = JSON.parse(readFileSync('firestore.indexes.json', 'utf8')) as Wanted;
  if (apply) await makeLacks(admin, name, wanted, () => setTimeout(10_000), console.log);
  if (isEvidence) for (const field of await stopExpiry(admin, name)) console.log(`${field} does not expire any more`);
  const lacks = isEvidence ? [] : await lacksOf(admin, name, wanted);
  for (const { what } of lacks) console.log(`lacks ${what}`);
  if (!isEvidence) console.log(adviceOn(lacks, project, database));
  process.exitCode = lacks.length > 0 ? 1 : 0;
  await client.close();
});
