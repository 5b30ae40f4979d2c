/**
 * Compares two positions in the order given by the signs, 1 for ascending and -1 for descending. Below 0: the first comes before the
 * second.
 */
export function compareKeys(a: readonly unknown[], b: readonly unknown[], signs: readonly number[]): number {
  for (let index = 0; index < signs.length; index += 1) {
    const order = compare(a[index], b[index]);
    if (order !== 0) return order * (signs[index] ?? 1);
  }
  return 0;
}

type Orders = readonly (readonly [string, 'asc' | 'desc'])[];
type OrderEntry = readonly [id: string, row: { data: Readonly<Record<string, unknown>> }];

/** Compares records by the fields of an order and then by id, without building a list of values for each record. */
export function byOrder(orderBy: Orders, signs: readonly number[]): (a: OrderEntry, b: OrderEntry) => number {
  return (a, b) => {
    for (const [index, [field]] of orderBy.entries()) {
      const order = compare(a[1].data[field], b[1].data[field]);
      if (order !== 0) return order * (signs[index] ?? 1);
    }
    return compare(a[0], b[0]) * (signs[orderBy.length] ?? 1);
  };
}

/** Signs of a query's orders and of the id that breaks ties in the direction of the last order. */
export function signsOf(orderBy: Orders): number[] {
  const signs = orderBy.map(([, direction]) => (direction === 'desc' ? -1 : 1));
  return [...signs, signs.at(-1) ?? 1];
}

/**
 * Firestore's order: null first, then booleans, numbers, or text by UTF-8 bytes. No field mixes these types except with
 * null, so their order among each other is not implemented.
 */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return (a as number) < (b as number) ? -1 : 1;
}

/** UTF-16 units whose order differs from that of code points: surrogates, and the single units after them. */
const high = /[\ud800-\uffff]/;

/**
 * Compares by UTF-8 bytes, which is the order of code points. The order of UTF-16 units differs only for surrogates:
 * they sort before U+E000 to U+FFFF, but the characters that they encode come after these.
 */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!high.test(a) || !high.test(b)) return a < b ? -1 : 1;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rankOf(left) - rankOf(right);
  }
  return a.length - b.length;
}

function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
