/** What `firestore.indexes.json` wants of a database. */
export type Wanted = {
  indexes: { collectionGroup: string; queryScope: string; fields: IndexField[] }[];
  fieldOverrides: { collectionGroup: string; fieldPath: string; ttl?: boolean; indexes: Single[] }[];
};
type IndexField = { fieldPath: string; order?: string; arrayConfig?: string };
type Single = { order?: string; arrayConfig?: string; queryScope: string };

type AdminIndex = { name?: string; queryScope?: unknown; state?: unknown; fields?: AdminIndexField[] };
type AdminIndexField = { fieldPath?: string; order?: unknown; arrayConfig?: unknown; valueMode?: string };
type AdminField = {
  name?: string;
  indexConfig?: { indexes?: AdminIndex[]; usesAncestorConfig?: boolean } | null;
  ttlConfig?: { state?: unknown } | null;
};
type Schedule = { retention?: { seconds?: unknown } | null; dailyRecurrence?: object | null };

/** The methods of Firestore's Admin API that are called, as its client has them. */
export type Admin = {
  listIndexes(request: { parent: string }): Promise<[AdminIndex[], ...unknown[]]>;
  createIndex(request: { parent: string; index: object }): Promise<unknown>;
  listFields(request: { parent: string; filter: string }): Promise<[AdminField[], ...unknown[]]>;
  updateField(request: { field: object; updateMask: { paths: string[] } }): Promise<unknown>;
  listBackupSchedules(request: { parent: string }): Promise<[{ backupSchedules?: Schedule[] | null }, ...unknown[]]>;
  createBackupSchedule(request: { parent: string; backupSchedule: object }): Promise<unknown>;
};

/** Something that a database lacks. `make` null: it is being made, and only time is needed. */
type Lack = { what: string; make: (() => Promise<unknown>) | null };

/** The daily backup of production, as `terraform/firestore.tf` sets it. */
const retentionSeconds = 14 * 24 * 60 * 60;

const ofField = ({ fieldPath, order, arrayConfig }: AdminIndexField) =>
  `${fieldPath} ${order && order !== 'ORDER_UNSPECIFIED' ? order : (arrayConfig ?? '')}`;
const isNamed = ({ fieldPath }: AdminIndexField) => fieldPath !== '__name__';

/** An index as text. Firestore ends every index with the name itself, so that is left out. */
function keyOf(collectionGroup: string, { queryScope, fields = [] }: AdminIndex): string {
  return `${collectionGroup} ${queryScope}: ${fields.filter(isNamed).map(ofField).join(', ')}`;
}

/** The part of a resource's name that follows `segment`. */
function partOf(name: string | undefined, segment: string): string {
  const parts = (name ?? '').split('/');
  return parts[parts.indexOf(segment) + 1] ?? '';
}

/**
 * What a database lacks of the indexes, fields without single-field indexes, expiry policies and backup schedule that the code expects. What it has
 * beyond that is left alone.
 * @param database its full name
 */
export async function lacksOf(admin: Admin, database: string, wanted: Wanted): Promise<Lack[]> {
  const all = `${database}/collectionGroups/-`;
  const [[indexes], [fields], [{ backupSchedules }]] = await Promise.all([
    admin.listIndexes({ parent: all }),
    admin.listFields({ parent: all, filter: 'indexConfig.usesAncestorConfig:false OR ttlConfig:*' }),
    admin.listBackupSchedules({ parent: database }),
  ]);
  return [
    ...indexLacks(admin, database, wanted, indexes),
    ...fieldLacks(admin, database, wanted, fields),
    ...backupLacks(admin, database, backupSchedules ?? []),
  ];
}

/** What to do about what a database lacks. */
export function adviceOn(lacks: readonly Lack[], project: string, database: string): string {
  if (lacks.length === 0) return `${database} has all that firestore.indexes.json wants, and a daily backup`;
  if (lacks.every(({ make }) => make === null)) return 'All of it is being built: look again in a while.';
  return `Make it: \`npm run indexes -- --project ${project} --database ${database} --apply\`.`;
}

function indexLacks(admin: Admin, database: string, wanted: Wanted, found: readonly AdminIndex[]): Lack[] {
  const states = new Map(found.map((each) => [keyOf(partOf(each.name, 'collectionGroups'), each), each.state]));
  return wanted.indexes.flatMap(({ collectionGroup, queryScope, fields }): Lack[] => {
    const key = keyOf(collectionGroup, { queryScope, fields });
    if (states.get(key) === 'READY') return [];
    const index = { queryScope, fields: fields.filter(isNamed) };
    const parent = `${database}/collectionGroups/${collectionGroup}`;
    const make = states.has(key) ? null : () => admin.createIndex({ parent, index });
    return [{ what: `index ${key}`, make }];
  });
}

function fieldLacks(admin: Admin, database: string, wanted: Wanted, found: readonly AdminField[]): Lack[] {
  const known = new Map(
    found.map((each) => [`${partOf(each.name, 'collectionGroups')}.${partOf(each.name, 'fields')}`, each]),
  );
  return wanted.fieldOverrides.flatMap(({ collectionGroup, fieldPath, ttl = false, indexes }): Lack[] => {
    const field = known.get(`${collectionGroup}.${fieldPath}`);
    const name = `${database}/collectionGroups/${collectionGroup}/fields/${fieldPath}`;
    const own = (field?.indexConfig?.usesAncestorConfig ?? true) ? null : (field?.indexConfig?.indexes ?? []);
    const single = (each: Single) => ({
      queryScope: each.queryScope,
      fields: [{ ...each, fieldPath, queryScope: undefined }],
    });
    const texts = (list: readonly AdminIndex[]) =>
      list
        .map((each) => keyOf('', each))
        .toSorted()
        .join('; ');
    const isSame = own !== null && texts(own) === texts(indexes.map(single)) && (field?.ttlConfig != null) === ttl;
    const isBuilt = own?.every(({ state }) => state === 'READY') && (!ttl || field?.ttlConfig?.state === 'ACTIVE');
    if (isSame && isBuilt) return [];
    const paths = ['index_config', 'ttl_config'];
    const make = () =>
      admin.updateField({
        field: { name, indexConfig: { indexes: indexes.map(single) }, ...(ttl ? { ttlConfig: {} } : {}) },
        updateMask: { paths },
      });
    return [{ what: `field ${collectionGroup}.${fieldPath}${ttl ? ' (expiry)' : ''}`, make: isSame ? null : make }];
  });
}

function backupLacks(admin: Admin, database: string, found: readonly Schedule[]): Lack[] {
  const isDaily = ({ dailyRecurrence, retention }: Schedule) =>
    dailyRecurrence != null && Number(retention?.seconds ?? 0) >= retentionSeconds;
  if (found.some(isDaily)) return [];
  const backupSchedule = { dailyRecurrence: {}, retention: { seconds: retentionSeconds } };
  return [
    {
      what: 'daily backup, kept 14 days',
      make: () => admin.createBackupSchedule({ parent: database, backupSchedule }),
    },
  ];
}

/**
 * Makes what a database lacks, and waits until all of it is built. Where it is cut off, another call goes on.
 * @param pause waits between two looks
 * @param say tells what is made
 */
export async function makeLacks(
  admin: Admin,
  database: string,
  wanted: Wanted,
  pause: () => Promise<unknown>,
  say: (line: string) => void,
): Promise<void> {
  for (;;) {
    const lacks = await lacksOf(admin, database, wanted);
    if (lacks.length === 0) return;
    for (const { what, make } of lacks) {
      if (!make) continue;
      say(`makes ${what}`);
      await make();
    }
    say(`waits for ${lacks.length} to be ready`);
    await pause();
  }
}

/** Switches the expiry policies of a database off: it is evidence, and must forget nothing. @returns the fields */
export async function stopExpiry(admin: Admin, database: string): Promise<string[]> {
  const [fields] = await admin.listFields({ parent: `${database}/collectionGroups/-`, filter: 'ttlConfig:*' });
  const expiring = fields.flatMap(({ name, ttlConfig }) => (name && ttlConfig != null ? [name] : []));
  for (const name of expiring) await admin.updateField({ field: { name }, updateMask: { paths: ['ttl_config'] } });
  return expiring.map((name) => `${partOf(name, 'collectionGroups')}.${partOf(name, 'fields')}`);
}
