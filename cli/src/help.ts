import { type Command, commonFlags, type Flags } from './command.ts';

export function overview(commands: readonly Command[]): string {
  const lines = commands.map(
    ({ name, operands, about }) => [`${name} ${operands?.shown ?? ''}`.trim(), about] as const,
  );
  return [
    'watchpost COMMAND [flags]',
    '',
    ...aligned(lines),
    '',
    'watchpost COMMAND --help shows the flags of a command. Exit status: 0 done, 1 refused, 2 wrong usage.',
    'watchpost --version prints the version. An id may be shortened to its first characters, as tables show it.',
    '',
  ].join('\n');
}

export function helpOf({ name, operands, about, flags = {} }: Command): string {
  return [
    `watchpost ${name} ${operands?.shown ?? ''}`.trimEnd(),
    '',
    about,
    '',
    ...aligned(flagLines(flags)),
    ...aligned(flagLines(commonFlags)),
    '',
  ].join('\n');
}

/** The page of all commands, `docs/cli.md`. */
export function reference(commands: readonly Command[]): string {
  const sections = commands.map(({ name, operands, about, flags = {} }) => {
    const rows = flagLines(flags).map(([flag, said]) => `| \`${flag}\` | ${said.replaceAll('|', '\\|')} |`);
    const table = rows.length === 0 ? [] : ['', '| flag | meaning |', '|---|---|', ...rows];
    const shown = `watchpost ${name} ${operands?.shown ?? ''}`.trimEnd();
    return [`## ${name}`, '', `\`${shown}\`: ${about}.`, ...table].join('\n');
  });
  const common = flagLines(commonFlags).map(([flag, said]) => `| \`${flag}\` | ${said} |`);
  return [
    '# Commands',
    '',
    'Every command of `watchpost`, generated from its help. How to install it and to sign in: [the command line](../cli/README.md).',
    '',
    'Every command accepts:',
    '',
    '| flag | meaning |',
    '|---|---|',
    ...common,
    '',
    `${sections.join('\n\n')}\n`,
  ].join('\n');
}

function flagLines(flags: Flags): (readonly [string, string])[] {
  return Object.entries(flags).map(([flag, { value, about, oneOf, isMany, isNeeded }]) => {
    const choices = oneOf && !about.includes(oneOf[0] ?? '') ? `: ${oneOf.join(', ')}` : '';
    return [
      `--${flag}${value ? ` ${value}` : ''}`,
      `${about}${choices}${isMany ? '; may stand more than once' : ''}${isNeeded ? '; needed' : ''}`,
    ];
  });
}

function aligned(lines: readonly (readonly [string, string])[]): string[] {
  return lines.map(([left, right]) => `  ${left.padEnd(34)} ${right}`);
}
