import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** An unknown flag or an invalid value. */
export class ArgumentError extends Error {}

type Described = ParseArgsOptionsConfig[string] & { about: string; value?: string };

/**
 * Reads the arguments of a command; prints its help and ends the process where `--help` is among them.
 * @throws ArgumentError that names the flag at fault
 */
export function readArguments<const Options extends Record<string, Described>>(usage: string, options: Options) {
  const help = { type: 'boolean', short: 'h', about: 'show this' } as const;
  const all = { ...options, help };
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
