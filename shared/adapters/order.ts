/** Whether one position comes before another (below 0) in the order of the signs, 1 for ascending and -1 for descending. */
export function compareKeys(a: readonly unknown[], b: readonly unknown[], signs: readonly number[]): number {
  for (let index = 0; index < signs.length; index += 1) {
    const order = compare(a[index], b[index]) * (signs[index] ?? 1);
    if (order !== 0) return order;
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
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (a === null) return -1;
  if (b === null) return 1;
  return (a as number) < (b as number) ? -1 : 1;
}

/** Of UTF-16, halves of code points beyond 0xFFFF are the only units that stand elsewhere than the bytes of UTF-8: behind all others. */
function compareTexts(a: string, b: string): number {
  let index = 0;
  while (a.charCodeAt(index) === b.charCodeAt(index)) index += 1;
  return rankAt(a, index) - rankAt(b, index);
}

function rankAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if (Number.isNaN(unit)) return -1;
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
