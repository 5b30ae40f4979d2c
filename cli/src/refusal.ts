import type { WatchpostError } from '../../sdk/typescript/src/index.ts';
import type { Flags } from './command.ts';

/** What is wrong with a call that the service refused. Members that flags set are named by their flags. */
export function refusalOf(error: WatchpostError, flags: Flags): string {
  if (error.errors.length === 0) return error.message;
  return error.errors
    .map(({ pointer, detail }) => `${flagOf(pointer, flags) ?? (pointer || 'The body')} ${detail}`)
    .join('; ');
}

function flagOf(pointer: string, flags: Flags): string | null {
  const path = pointer.replace(/^[/?]/, '');
  const isOf = (member: string) => path === member || path.startsWith(`${member}/`);
  const [name] = Object.entries(flags).find(([, { member }]) => member !== undefined && isOf(member)) ?? [];
  return name === undefined ? null : `--${name}`;
}
