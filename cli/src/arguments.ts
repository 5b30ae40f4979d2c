import { parseArgs } from 'node:util';
import { type Command, commonFlags, type Flags, type Given } from './command.ts';
import { instantIn } from './times.ts';
import { UsageError, unknownWord } from './usage.ts';

/**
 * Reads the arguments of a command. Times of day are those around `nowMs`.
 * @throws UsageError that names the flag or value at fault
 */
export function readArguments(
  command: Command,
  args: readonly string[],
  nowMs: number,
): { operands: string[]; flags: Given } {
  const known: Flags = { ...command.flags, ...commonFlags };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string' } as const,
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const values = new Map<string, string[]>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (!flag)
      throw unknownWord(
        'flag',
        token.rawName,
        Object.keys(known).map((name) => `--${name}`),
      );
    const given = values.get(token.name) ?? [];
    if (given.length > 0 && !flag.isMany) throw new UsageError(`--${token.name} is given twice.`);
    values.set(token.name, [...given, ...valuesOf(token.name, flag, token.value, nowMs)]);
  }
  if (!values.has('help')) {
    requireCount(command, operands);
    requireNeeded(command.flags ?? {}, values);
  }
  return { operands, flags: givenOf(values) };
}

function valuesOf(name: string, flag: Flags[string], value: string | undefined, nowMs: number): string[] {
  if (flag.value === undefined) {
    if (value !== undefined) throw new UsageError(`--${name} takes no value.`);
    return ['true'];
  }
  if (value === undefined || value === '') throw new UsageError(`--${name} needs a value: --${name} ${flag.value}.`);
  const each = flag.isMany && flag.oneOf ? value.split(',') : [value];
  for (const one of each) requireFit(name, flag, one);
  return flag.time ? [timeOf(name, flag.time, value, nowMs)] : each;
}

function timeOf(name: string, which: 'last' | 'next', value: string, nowMs: number): string {
  const instant = instantIn(value, which, nowMs);
  if (instant !== null) return instant;
  const forms = '18:00, "2026-11-22 18:00" (both in the zone of this machine) or 2026-11-22T18:00:00Z';
  throw new UsageError(`--${name} must be a time such as ${forms}, not "${value}".`);
}

function requireFit(name: string, { oneOf, number }: Flags[string], value: string): void {
  if (oneOf && !oneOf.includes(value)) throw unknownWord(`value of --${name}`, value, oneOf);
  if (!number) return;
  const [min, max] = number;
  const isWithin = /^-?\d{1,12}$/.test(value) && Number(value) >= min && Number(value) <= max;
  if (!isWithin) throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not "${value}".`);
}

function requireCount({ name, operands }: Command, given: readonly string[]): void {
  const { shown, least, most } = operands ?? { shown: '', least: 0, most: 0 };
  if (given.length > most) throw new UsageError(`"${given[most]}" is too much: watchpost ${name} ${shown}`.trim());
  if (given.length < least) throw new UsageError(`Something is missing: watchpost ${name} ${shown}`);
  const empty = given.findIndex((each) => each.trim() === '');
  if (empty >= 0) throw new UsageError(`The ${empty + 1}. operand is empty: watchpost ${name} ${shown}`);
}

function requireNeeded(flags: Flags, values: ReadonlyMap<string, unknown>): void {
  const missing = Object.entries(flags).filter(([name, { isNeeded }]) => isNeeded && !values.has(name));
  const [first, ...others] = missing.map(([name, { value }]) => `--${name} ${value}`);
  if (first === undefined) return;
  const about = missing[0]?.[1].about;
  throw new UsageError(
    others.length === 0 ? `${first} is missing: ${about}.` : `Missing: ${[first, ...others].join(', ')}.`,
  );
}

function givenOf(values: ReadonlyMap<string, string[]>): Given {
  return {
    text: (name) => values.get(name)?.[0],
    texts: (name) => values.get(name),
    number: (name) => (values.has(name) ? Number(values.get(name)?.[0]) : undefined),
    has: (name) => values.has(name),
  };
}
