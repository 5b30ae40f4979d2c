/** A copy that a database can come back from, as Firestore's Admin API names it. */
type Backup = {
  name?: string | null;
  database?: string | null;
  snapshotTime?: { seconds?: unknown; nanos?: number | null } | null;
  state?: unknown;
};
type Found = { name?: string | null; sourceInfo?: { backup?: { backup?: string | null } | null } | null };

/** The methods of Firestore's Admin API that make and remove a copy, as its client has them. */
export type CopyClient = {
  listBackups(request: {
    parent: string;
  }): Promise<[{ backups?: Backup[] | null; unreachable?: string[] | null }, ...unknown[]]>;
  getDatabase(request: { name: string }): Promise<[Found, ...unknown[]]>;
  restoreDatabase(request: { parent: string; databaseId: string; backup: string }): Promise<unknown>;
  cloneDatabase(request: {
    parent: string;
    databaseId: string;
    pitrSnapshot: { database: string; snapshotTime: { seconds: number; nanos: number } };
  }): Promise<unknown>;
  deleteDatabase(request: { name: string }): Promise<unknown>;
};

/** Where a copy comes from. `backup` null: the database itself, as it was at `asOf`. */
export type Origin = { backup: string | null; asOf: string };

const notFound = 5;
const reachesBackMs = 7 * 24 * 3_600_000;

/**
 * The newest backup of a database that is ready.
 * @param until the latest state that is wanted
 * @throws Error if there is none, or a region that may hold one did not answer
 */
export async function newestBackup(
  client: Pick<CopyClient, 'listBackups'>,
  { project, region, database }: { project: string; region: string; database: string },
  until: number,
): Promise<Origin> {
  const [{ backups, unreachable }] = await client.listBackups({ parent: `projects/${project}/locations/${region}` });
  if (unreachable && unreachable.length > 0) throw new Error(`backups of ${unreachable.join(', ')} cannot be listed`);
  const found = (backups ?? []).flatMap(({ name, database: of, snapshotTime, state }): Origin[] =>
    name && of === `projects/${project}/databases/${database}` && state === 'READY' && snapshotTime
      ? [{ backup: name, asOf: instantOf(snapshotTime) }]
      : [],
  );
  const [newest] = found.filter(({ asOf }) => Date.parse(asOf) <= until).toSorted((a, b) => (a.asOf < b.asOf ? 1 : -1));
  if (!newest)
    throw new Error(`${database} has no backup that is ready and not after ${new Date(until).toISOString()}`);
  return newest;
}

/** The state of a minute of the last seven days, of a database with point-in-time recovery. @throws Error for another time */
export function stateAt(asOf: string, now: number): Origin {
  const at = Date.parse(asOf);
  if (Number.isNaN(at) || at > now) throw new Error('--as-of: a time that has passed, like 2026-11-22T10:15:00Z');
  if (now - at > reachesBackMs)
    throw new Error('--as-of: point-in-time recovery reaches back 7 days; restore a backup');
  // A snapshot is of a whole minute (cloud.google.com/firestore/docs/reference/rest/Shared.Types/CloneDatabaseMetadata, *PitrSnapshot*).
  return { backup: null, asOf: new Date(at - (at % 60_000)).toISOString() };
}

/**
 * Asks for a copy, unless an earlier call did: a copy that is there must be of the same backup.
 * @returns whether it was asked for now
 */
export async function askForCopy(
  client: CopyClient,
  { project, database, of }: { project: string; database: string; of: string },
  { backup, asOf }: Origin,
): Promise<boolean> {
  const parent = `projects/${project}`;
  const there = await client.getDatabase({ name: `${parent}/databases/${database}` }).then(
    ([found]) => found,
    (error: { code?: number }) => {
      if (error.code === notFound) return null;
      throw error;
    },
  );
  if (there) {
    const from = there.sourceInfo?.backup?.backup ?? null;
    if (from !== backup)
      throw new Error(`${database} exists already, and is of ${from ?? 'no backup'}: choose another name`);
    return false;
  }
  if (backup === null) {
    const snapshotTime = { seconds: Date.parse(asOf) / 1000, nanos: 0 };
    await client.cloneDatabase({
      parent,
      databaseId: database,
      pitrSnapshot: { database: `${parent}/databases/${of}`, snapshotTime },
    });
  } else await client.restoreDatabase({ parent, databaseId: database, backup });
  return true;
}

function instantOf({ seconds, nanos }: NonNullable<Backup['snapshotTime']>): string {
  // A state that is a millisecond too old claims less.
  return new Date(Number(seconds) * 1000 + Math.floor((nanos ?? 0) / 1e6)).toISOString();
}
