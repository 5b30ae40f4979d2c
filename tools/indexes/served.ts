export type Field = { fieldPath: string; order?: string; arrayConfig?: string };
export type Index = { collectionGroup: string; fields: Field[] };
/** The composite index that a query needs, as the emulator reports it. */
export type Needed = { collection: string; fields: Field[] };

/** Fields that queries sort or filter by range and never compare for equality. In an index they follow the equality fields. */
const isOrdered = (collection: string, { fieldPath }: Field) =>
  /(At|^at|^timestamp|^urgency)$/.test(fieldPath) || (collection === 'devices' && fieldPath === 'deviceId');

/**
 * Whether the indexes serve a query by Firestore's rules: equalities with one order are merged from several indexes that all end in that order;
 * equalities alone are merged from single-field indexes.
 */
export function isServed({ collection, fields }: Needed, indexes: Index[]): boolean {
  const named = fields.filter(({ fieldPath }) => fieldPath !== '__name__');
  const orderFrom = isOrdered(collection, named.at(-1) ?? { fieldPath: '' }) ? named.length - 1 : named.length;
  const equal = named.slice(0, orderFrom).map(({ fieldPath }) => fieldPath);
  const order = JSON.stringify(named.slice(orderFrom));
  if (order === '[]') return true;
  const served = indexes
    .filter(({ collectionGroup }) => collectionGroup === collection)
    .filter(({ fields: own }) => JSON.stringify(own.slice(-1)) === order)
    .map(({ fields: own }) => own.slice(0, -1).map(({ fieldPath }) => fieldPath))
    .filter((prefix) => prefix.every((field) => equal.includes(field)));
  return equal.every((field) => served.some((prefix) => prefix.includes(field)));
}

export function inWords({ collection, fields }: Needed): string {
  return `${collection}: ${fields.map(({ fieldPath, order }) => (order === 'DESCENDING' ? `${fieldPath} desc` : fieldPath)).join(', ')}`;
}
