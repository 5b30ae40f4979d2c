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

function flagLines(flags: Flags): (readonly [string, string])[] {
  return Object.entries(flags).map(([flag, { value, about, oneOf, isMany }]) => {
    const choices = oneOf && !about.includes(oneOf[0] ?? '') ? `: ${oneOf.join(', ')}` : '';
    return [`--${flag}${value ? ` ${value}` : ''}`, `${about}${choices}${isMany ? '; may stand more than once' : ''}`];
  });
}

function aligned(lines: readonly (readonly [string, string])[]): string[] {
  return lines.map(([left, right]) => `  ${left.padEnd(34)} ${right}`);
}
