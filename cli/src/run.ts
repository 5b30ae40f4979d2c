import { WatchpostError } from '../../sdk/typescript/src/index.ts';
import manifest from '../package.json' with { type: 'json' };
import { readArguments } from './arguments.ts';
import type { Command, Status, Terminal } from './command.ts';
import { commands } from './commands.ts';
import { connect } from './connection.ts';
import { helpOf, overview } from './help.ts';
import { createPrinter, type Form, plain } from './output.ts';
import { refusalOf } from './refusal.ts';
import { UsageError, unknownWord } from './usage.ts';

/** Runs one command line. Data goes to `out`, everything else to `err`. */
export async function run(args: readonly string[], terminal: Terminal): Promise<Status> {
  try {
    const ended = await dispatch(args, terminal);
    return typeof ended === 'number' ? ended : ended ? 0 : 1;
  } catch (error) {
    if (terminal.signal.aborted && error === terminal.signal.reason) {
      terminal.err('Interrupted.\n');
      return 1;
    }
    for (const line of linesOf(error, args)) terminal.err(`${plain(line)}\n`);
    // There, 2 means that something would change.
    return error instanceof UsageError && !(args[0] === 'plan' && args.includes('--exit-code')) ? 2 : 1;
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<boolean | Status> {
  const [first, second] = args;
  if (first === undefined) throw new UsageError('What shall be done? "watchpost --help" lists the commands.');
  if (first === '--help' || first === '-h' || first === 'help') {
    terminal.out(overview(commands));
    return true;
  }
  if (first === '--version') {
    terminal.out(`${manifest.version}\n`);
    return true;
  }
  const command = commandOf(first, second);
  const now = terminal.runtime?.nowMs ?? Date.now;
  const { operands, flags } = readArguments(command, args.slice(command.name.split(' ').length), now());
  if (flags.has('help')) {
    terminal.out(helpOf(command));
    return true;
  }
  const form = flags.has('json') ? 'json' : ((flags.text('output') ?? 'table') as Form);
  const print = createPrinter(form, terminal.out, terminal.view, now);
  const running = command.run({ operands, flags, terminal, print, client: () => connect(flags, terminal) });
  if (!command.isEndless) return running;
  return running.catch((error: unknown) => {
    if (terminal.signal.aborted) return true;
    throw error;
  });
}

/** @throws UsageError that names the word at fault */
function commandOf(first: string, second: string | undefined): Command {
  const single = commands.find(({ name }) => name === first);
  if (single) return single;
  const within = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (within.length === 0) {
    throw unknownWord('command', first, [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]);
  }
  const words = within.map(({ name }) => name.slice(first.length + 1));
  const found = within.find(({ name }) => name === `${first} ${second}`);
  if (found) return found;
  if (second === undefined || second.startsWith('-'))
    throw new UsageError(`${first} what? There are ${words.join(', ')}.`);
  throw unknownWord(`command after "${first}"`, second, words);
}

function linesOf(error: unknown, args: readonly string[]): string[] {
  if (error instanceof WatchpostError) {
    const about = [error.code, error.requestId === null ? null : `request ${error.requestId}`].filter(Boolean);
    const command = commands.find(({ name }) => name.split(' ').every((word, at) => args[at] === word));
    return [`${refusalOf(error, command?.flags ?? {})} (${about.join(', ')})`];
  }
  const lines = error instanceof Error ? error.message.split('\n') : [String(error)];
  return error instanceof UsageError || error instanceof Error ? lines : [`Failed: ${lines.join(' ')}`];
}
