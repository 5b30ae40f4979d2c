import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** An unknown flag or an invalid value. */
export class ArgumentError extends Error {}

type Described = ParseArgsOptionsConfig[string] & { about: string; value?: string };

/**
 * Reads the arguments of a command; prints its help and ends the process where `--help` is among them.
 * @param usage begins with how npm runs the command, e.g. `npm start -- [flags]`
 * @throws ArgumentError that names the flag at fault
 */
export function readArguments<const Options extends Record<string, Described>>(usage: string, options: Options) {
  const help = { type: 'boolean', short: 'h', about: 'show this' } as const;
  const all = { ...options, help };
  refuseTakenByNpm(usage.split(' -- ')[0] ?? '', options);
  try {
    const { values } = parseArgs({ options: all, allowPositionals: false, strict: true });
    if ((values as { help?: boolean }).help) {
      console.log(helpText(usage, all));
      process.exit(0);
    }
    return values;
  } catch (error) {
    throw new ArgumentError(error instanceof Error ? error.message : String(error));
  }
}

/** npm's own settings, which a person may have in a file. */
const ofNpm = ['scope'];

/** Without ` -- ` npm takes the flags as settings of its own, and of `--cameras 3` passes on only `3`. */
function refuseTakenByNpm(command: string, options: Record<string, Described>): void {
  const settingOf = (name: string) => process.env[`npm_config_${name.replaceAll('-', '_')}`];
  const isTaken = ([name, { type }]: [string, Described]) =>
    type === 'boolean'
      ? settingOf(name) === 'true' || (name.startsWith('no-') && settingOf(name.slice(3)) === '')
      : settingOf(name) !== undefined && !ofNpm.includes(name);
  const taken = Object.entries(options).filter(isTaken);
  if (taken.length === 0) return;
  const words = process.argv.slice(2).filter((word) => !word.startsWith('-'));
  const isLeft = ([name, { value }]: [string, Described]) => value !== undefined && settingOf(name) === 'true';
  const onlyWord = taken.filter(isLeft).length === 1 && words.length === 1 ? words[0] : undefined;
  const flags = taken.map(([name, { value }]) => {
    const given = settingOf(name) === 'true' ? (onlyWord ?? value) : settingOf(name);
    return value === undefined ? `--${name}` : `--${name} ${given}`;
  });
  throw new ArgumentError(`Say "${command} -- ${flags.join(' ')}": npm keeps flags before " -- " for itself.`);
}

/** @throws ArgumentError when the text is not a number within the bounds */
export function readNumber(flag: string, text: string, min: number, max: number, isWhole = true): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= min && value <= max) || (isWhole && !Number.isInteger(value))) {
    throw new ArgumentError(
      `--${flag} must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}, not "${text}".`,
    );
  }
  return value;
}

/** Runs a command. An error is one line on standard error, with exit status 2 for wrong arguments and 1 for everything else. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    const isUsage = error instanceof ArgumentError;
    console.error(`${error instanceof Error ? error.message : error}${isUsage ? ' See --help.' : ''}`);
    process.exitCode = isUsage ? 2 : 1;
  }
}

function helpText(usage: string, options: Record<string, Described>): string {
  const lines = Object.entries(options).map(([name, { value, about }]) => {
    const flag = `--${name}${value === undefined ? '' : ` ${value}`}`;
    return `  ${flag.padEnd(22)} ${about}`;
  });
  return `${usage}\n\n${lines.join('\n')}`;
}
