import indexes from '../../firestore.indexes.json' with { type: 'json' };

/*
 * What Firestore accepts as a record, by firebase.google.com/docs/firestore/quotas and …/storage-size (November 2026). Records are plain
 * data: texts, numbers, booleans, null, lists and maps.
 */

/** Bytes of an id, of a name, of the path to a member with a dot between names, and of a text in a comparison. */
const mostNameBytes = 1500;
const mostValueBytes = 1_048_487;
const mostRecordBytes = 1_048_576;
/** Levels of maps and lists around a value, not counting the record. */
const mostLevels = 20;
const mostIndexEntries = 40_000;
/**
 * A value has at most three index entries, and a record a few of composite indexes. A record with fewer values than this is below the limit
 * without counting.
 */
const surelyFew = 10_000;

const reserved = /^__.*__$/s;
/** A dot in a member's name would be read as a path when the member is replaced. */
const simple = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What is wrong with the id of a record. Null: nothing. */
export function faultOfId(id: string): string | null {
  if (id === '') return 'the id is empty';
  if (!id.isWellFormed()) return 'the id is not well-formed Unicode';
  if (id === '.' || id === '..' || reserved.test(id)) return 'the id is reserved';
  if (id.includes('/')) return 'the id has a slash';
  return Buffer.byteLength(id) > mostNameBytes ? `the id has more than ${mostNameBytes} bytes` : null;
}

/** What is wrong with the name of a member of a record. Null: nothing. */
export function faultOfName(name: string): string | null {
  return simple.test(name) ? faultOfAnyName(name) : `the member ${shown(name)} has no simple name`;
}

/** Bytes of names that passed the check, cached because all records use the same few names. */
const goodNames = new Map<string, number>();
const mostGoodNames = 5000;

/** The bytes of a name of a member, or what is wrong with it. */
function measureName(name: string): number | string {
  const known = goodNames.get(name);
  if (known !== undefined) return known;
  const fault = faultOfAnyName(name);
  if (fault !== null) return fault;
  const bytes = Buffer.byteLength(name);
  if (goodNames.size < mostGoodNames) goodNames.set(name, bytes);
  return bytes;
}

function faultOfAnyName(name: string): string | null {
  if (name === '') return 'a member has an empty name';
  if (!name.isWellFormed()) return 'the name of a member is not well-formed Unicode';
  if (reserved.test(name)) return `the name ${shown(name)} is reserved`;
  return Buffer.byteLength(name) > mostNameBytes ? `a name has more than ${mostNameBytes} bytes` : null;
}

/** What is wrong with a value in a comparison. Null: nothing. */
export function faultOfValue(value: unknown): string | null {
  if (typeof value === 'string' && Buffer.byteLength(value) > mostNameBytes)
    return `a text that is compared with has more than ${mostNameBytes} bytes`;
  const { fault } = measure(value, 0, 0);
  return fault && said(fault);
}

/**
 * The size of a record in bytes as Firestore counts it, and what is wrong with the record.
 * @param beneath levels that must stay free, because the record is written below them
 */
export function faultOfRecord(
  kind: string,
  id: string,
  data: object,
  beneath = 0,
): { bytes: number; fault: string | null } {
  const odd = Object.keys(data).find((name) => !simple.test(name));
  if (odd !== undefined) return { bytes: 0, fault: faultOfAnyName(odd) ?? faultOfName(odd) };
  // The record itself does not count as a level.
  const { bytes, values, fault } = measure(data, 0, beneath - 1);
  if (fault !== null) return { bytes, fault: said(fault) };
  const all = bytes + Buffer.byteLength(kind) + 1 + Buffer.byteLength(id) + 1 + 16;
  if (all > mostRecordBytes) return { bytes: all, fault: `the record has ${all} bytes, at most ${mostRecordBytes}` };
  const entries = values < surelyFew ? 0 : indexEntriesOf(kind, data);
  if (entries <= mostIndexEntries) return { bytes: all, fault: null };
  return { bytes: all, fault: `the record has ${entries} index entries, at most ${mostIndexEntries}` };
}

/** `fault`: the problem, and the path `at` to its value, innermost name first. */
type RecordSize = { bytes: number; values: number; fault: { at: string[]; what: string } | null };

/** @param pathBytes bytes of the names down to the value, with a dot behind each */
function measure(value: unknown, pathBytes: number, level: number): RecordSize {
  switch (typeof value) {
    case 'string':
      return measureText(value);
    case 'number':
      return { bytes: 8, values: 1, fault: null };
    case 'boolean':
      return { bytes: 1, values: 1, fault: null };
    case 'object':
      return value === null ? { bytes: 1, values: 1, fault: null } : measureMembers(value, pathBytes, level + 1);
    default:
      return faulty(value === undefined ? 'is undefined' : `is a ${typeof value}`);
  }
}

function measureText(text: string): RecordSize {
  if (!text.isWellFormed()) return faulty('is not well-formed Unicode');
  const bytes = Buffer.byteLength(text);
  return bytes > mostValueBytes
    ? faulty(`has ${bytes} bytes, at most ${mostValueBytes}`)
    : { bytes: bytes + 1, values: 1, fault: null };
}

function measureMembers(value: object, pathBytes: number, level: number): RecordSize {
  if (level > mostLevels) return faulty(`is deeper than ${mostLevels} levels`);
  if (Array.isArray(value)) return measureList(value, pathBytes, level);
  if (!isPlain(value)) return faulty('is no plain object');
  const sum: RecordSize = { bytes: 32, values: 1, fault: null };
  for (const [name, member] of Object.entries(value)) {
    const nameBytes = measureName(name);
    if (typeof nameBytes === 'string') return faulty(nameBytes);
    const below = pathBytes + nameBytes;
    if (below > mostNameBytes) return faulty(`a path of names has more than ${mostNameBytes} bytes`);
    if (!addTo(sum, name, measure(member, below + 1, level))) break;
    sum.bytes += nameBytes + 1;
  }
  return sum;
}

function measureList(list: readonly unknown[], pathBytes: number, level: number): RecordSize {
  const names = Object.keys(list);
  if (names.length !== list.length) return faulty('is a list with gaps');
  const sum: RecordSize = { bytes: 0, values: 1, fault: null };
  for (const name of names) {
    const element = list[Number(name)];
    if (Array.isArray(element)) return faulty('is a list of lists');
    if (!addTo(sum, name, measure(element, pathBytes + name.length + 1, level))) break;
  }
  return sum;
}

/** Adds a member to the sum. @returns whether it has no fault */
function addTo(sum: RecordSize, name: string, { bytes, values, fault }: RecordSize): boolean {
  sum.bytes += bytes;
  sum.values += values;
  fault?.at.push(name);
  sum.fault = fault;
  return fault === null;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function faulty(what: string): RecordSize {
  return { bytes: 0, values: 0, fault: { at: [], what } };
}

function said({ at, what }: { at: string[]; what: string }): string {
  return `/${at.toReversed().map(shown).join('/')} ${what}`;
}

/** The beginning of a name, enough to find it. */
function shown(name: string): string {
  return name.slice(0, 40).toWellFormed();
}

type Field = { fieldPath: string; arrayConfig?: string };
const exempt = new Set(
  indexes.fieldOverrides.map(({ collectionGroup, fieldPath }) => `${collectionGroup} ${fieldPath}`),
);

/**
 * The number of index entries of a record (firebase.google.com/docs/firestore/query-data/index-overview): ascending and descending for each
 * value, map and list, one for each element of a list, and one for each composite index whose fields it has. The emulator counts none.
 */
function indexEntriesOf(kind: string, data: object): number {
  const ofValue = (value: unknown, path: string): number => {
    if (exempt.has(`${kind} ${path}`)) return 0;
    if (Array.isArray(value)) return 2 + elementsOf(value);
    if (typeof value !== 'object' || value === null) return 2;
    return Object.entries(value).reduce((sum, [name, member]) => sum + ofValue(member, `${path}.${name}`), 2);
  };
  const single = Object.entries(data).reduce((sum, [name, value]) => sum + ofValue(value, name), 0);
  const composite = indexes.indexes
    .filter(
      ({ collectionGroup, fields }) => collectionGroup === kind && fields.every(({ fieldPath }) => fieldPath in data),
    )
    .map(({ fields }) =>
      (fields as Field[]).reduce(
        (product, { fieldPath, arrayConfig }) =>
          arrayConfig ? product * elementsOf(data[fieldPath as keyof typeof data]) : product,
        1,
      ),
    );
  return composite.reduce((sum, entries) => sum + entries, single);
}

function elementsOf(list: unknown): number {
  return Array.isArray(list) ? new Set(list.map((each) => JSON.stringify(each))).size : 1;
}
