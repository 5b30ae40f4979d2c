/** Whether one position comes before another (below 0) in the order of the signs, 1 for ascending and -1 for descending. */
export function compareKeys(a: readonly unknown[], b: readonly unknown[], signs: readonly number[]): number {
  for (const [index, sign] of signs.entries()) {
    const order = compare(a[index], b[index]);
    if (order !== 0) return order * sign;
  }
  return 0;
}

/** Signs of the orders of a query and of the id that breaks their ties, in the direction of the last. */
export function signsOf(orderBy: readonly (readonly [string, 'asc' | 'desc'])[]): number[] {
  const signs = orderBy.map(([, direction]) => (direction === 'desc' ? -1 : 1));
  return [...signs, signs.at(-1) ?? 1];
}

/** Order of Firestore for the types in use: null, booleans, numbers, text by UTF-8 bytes. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return (a as number) < (b as number) ? -1 : 1;
}
