/** What `terraform output -json recovery` says. */
export type Recovery = {
  project: string;
  region: string;
  database: string;
  serving_database: string;
  subscriptions: string[];
  queues: string[];
  sweep: string;
  base_url: string;
};

/** What is restored: the name of the new database, the state that it comes back to, and where that state is from. */
export type Restore = { database: string; asOf: string; from: 'backup' | 'time' };

/** One step, with the commands that a person runs. No commands: `npm run restore -- --apply` performs it. */
export type Step = { what: string; commands: string[] };

const nameOfDatabase = /^[a-z][a-z0-9-]{2,61}[a-z0-9]$/;

/**
 * The steps of a restore, in their order, with the names of the installation.
 * @throws Error that names what is wrong: the database that serves is never written
 */
export function planOf(recovery: Recovery, { database, asOf, from }: Restore, now: number): Step[] {
  const { project, region, serving_database: serving, subscriptions, queues, sweep, base_url: site } = recovery;
  if (!nameOfDatabase.test(database)) throw new Error('--database: 4 to 63 lower-case letters, digits and hyphens');
  if (database === serving)
    throw new Error(`--database: ${serving} is the one that serves; a restore goes to a new one`);
  const at = Date.parse(asOf);
  if (Number.isNaN(at) || at > now) throw new Error('--as-of: a time that has passed, like 2026-11-22T10:15:00Z');
  if (from === 'time' && now - at > 7 * 24 * 3_600_000)
    throw new Error('--as-of: point-in-time recovery reaches back 7 days; restore a backup');
  const inProject = `--project=${project}`;
  const each = (names: readonly string[], command: (name: string) => string) => names.map(command);
  return [
    {
      what: `The API refuses writes: POST ${site}/v1/erasures answers 503`,
      commands: ['terraform apply -var read_only=true'],
    },
    {
      what: 'Nothing is handled any more: messages and tasks wait. Wait until none is in flight',
      commands: [
        `gcloud scheduler jobs pause ${sweep} --location=${region} ${inProject}`,
        ...each(queues, (name) => `gcloud tasks queues pause ${name} --location=${region} ${inProject}`),
        ...each(subscriptions, (name) => `gcloud pubsub subscriptions update ${name} --push-endpoint='' ${inProject}`),
      ],
    },
    {
      what: `${serving} as of ${asOf} becomes ${database}`,
      commands:
        from === 'backup'
          ? [
              `gcloud firestore backups list ${inProject}`,
              `gcloud firestore databases restore --source-backup=BACKUP --destination-database=${database} ${inProject}`,
            ]
          : [
              `gcloud firestore databases clone --source-database='projects/${project}/databases/${serving}' --snapshot-time=${asOf} --destination-database=${database} ${inProject}`,
            ],
    },
    { what: `${database} gets the indexes, fields, expiry policies and backups that the code expects`, commands: [] },
    { what: `${serving} forgets nothing any more: it is evidence`, commands: [] },
    { what: `${database} says what it lost, and what was due in that time is settled`, commands: [] },
    {
      what: 'The functions use it, and everything resumes: messages that waited are handled first',
      commands: [
        `terraform apply -var serving_database=${database}`,
        `gcloud scheduler jobs resume ${sweep} --location=${region} ${inProject}`,
        ...each(queues, (name) => `gcloud tasks queues resume ${name} --location=${region} ${inProject}`),
        'npm run smoke',
      ],
    },
  ];
}
