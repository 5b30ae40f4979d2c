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

/** Signs of a query's orders and of the id that breaks ties in the direction of the last order. */
export function signsOf(orderBy: readonly (readonly [string, 'asc' | 'desc'])[]): number[] {
  const signs = orderBy.map(([, direction]) => (direction === 'desc' ? -1 : 1));
  return [...signs, signs.at(-1) ?? 1];
}

/** Firestore's order for the types in use: null, booleans, numbers, text by UTF-8 bytes. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return (a as number) < (b as number) ? -1 : 1;
}

/**
 * Compares by UTF-8 bytes, which is the order of code points. UTF-16 differs only for surrogates, which sort before the last of the plain
 * characters.
 */
function compareText(a: string, b: string): number {
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
