// Adds missing members to older records, if lists filter by these members, and gives members their present names. Run once for a release whose
// CHANGELOG asks for it.
import { Firestore } from '@google-cloud/firestore';
import { readArguments, runCommand } from '../local/stack/arguments.ts';
import { backfill } from './backfill/backfill.ts';

const usage = `npm run backfill -- --project P [flags]

Looks at each alert, incident, device, delivery, activity entry and history entry. Adds the members by which lists find records (slice, urgency ...)
where they are missing, and renames members that have another name now. A read for each record, a write for each that changes. Idempotent.`;

await runCommand(async () => {
  const flags = readArguments(usage, {
    project: { type: 'string', default: '', value: 'P', about: 'the project' },
    database: { type: 'string', default: '(default)', value: 'D', about: 'the database ((default))' },
    'dry-run': { type: 'boolean', default: false, about: 'only count the records that would change' },
  });
  if (flags.project === '') throw new Error('--project is required');
  const db = new Firestore({ projectId: flags.project, databaseId: flags.database });
  for (const [collection, count] of Object.entries(await backfill(db, flags['dry-run']))) {
    console.log(`${collection.padEnd(12)}${count}${flags['dry-run'] ? ' would change' : ' changed'}`);
  }
  await db.terminate();
});
