import type { Client } from '../../../sdk/typescript/src/index.ts';
import type { Command, Context, Flags } from '../command.ts';
import type { Plan, PlannedStep, Step } from '../configuration/plan.ts';
import { readText } from '../connection.ts';
import { type Column, plain } from '../output.ts';

const prune: Flags = { prune: { about: 'delete what stands in a section of the service and not in that of the file' } };
const operands = { shown: 'FILE', least: 1, most: 1 };
const columns: Column<Step>[] = [
  ['action', ({ action }) => action],
  ['kind', ({ kind }) => kind],
  ['name', ({ name }) => name],
  ['members', ({ changes }) => changes.map(({ member }) => member)],
];

/** The YAML reader and the schemas are loaded only here, because other commands do not need them. */
async function planned({ operands: [path = ''], flags, terminal, client }: Context): Promise<Plan> {
  const { readConfiguration } = await import('../configuration/document.ts');
  const { wishesOf } = await import('../configuration/wishes.ts');
  const { planOf } = await import('../configuration/plan.ts');
  const file = readConfiguration(path, path === '-' ? await terminal.readInput() : readText(path));
  const wishes = wishesOf(file);
  const secrets = (name: string) => terminal.env[name];
  const plan = await planOf(client(), { file, wishes, isPruned: flags.has('prune'), secrets });
  for (const notice of plan.notices) terminal.err(`${plain(notice)}\n`);
  return plan;
}

/**
 * Performs the steps in order, and stops between two of them when the user asks.
 * @returns the steps that were done, and what went wrong
 */
async function performed(
  api: Client,
  steps: readonly PlannedStep[],
  signal: AbortSignal,
): Promise<{ done: Step[]; error: unknown }> {
  const done: Step[] = [];
  for (const { step, act } of steps) {
    if (signal.aborted) break;
    try {
      await act(api);
    } catch (error) {
      return { done, error };
    }
    done.push(step);
  }
  return { done, error: null };
}

async function apply(context: Context): Promise<boolean> {
  const { terminal, print } = context;
  const { steps } = await planned(context);
  const { done, error } = await performed(context.client(), steps, terminal.signal);
  print.list(done, columns);
  const next = steps[done.length]?.step;
  if (!next) return true;
  const which = `${next.action} of ${next.kind} "${plain(next.name)}"`;
  const said =
    error === null
      ? `Stopped before the ${which}`
      : `The ${which} ${wasRefused(error) ? 'was refused' : 'failed, and may be done all the same'}`;
  terminal.err(`${said}; ${done.length} of ${steps.length} steps are done. Apply again to continue.\n`);
  if (error !== null) throw error;
  return false;
}

/** Whether the service has answered, so that nothing was done. */
function wasRefused(error: unknown): boolean {
  const { status = 0 } = error as { status?: number };
  return status >= 400 && status < 500;
}

export const configurationCommands: readonly Command[] = [
  {
    name: 'export',
    about: 'prints teams, settings, rules, maintenance windows and endpoints as YAML, without any secret',
    async run({ client, terminal }) {
      const { exported } = await import('../configuration/export.ts');
      terminal.out(await exported(client()));
      return true;
    },
  },
  {
    name: 'plan',
    about: 'prints what apply would do with a file (- is standard input), and checks the names in it',
    operands,
    flags: {
      ...prune,
      'exit-code': { about: 'end with 0 if nothing would change, 1 for any error, wrong usage too, and 2 for changes' },
    },
    async run(context) {
      const { steps } = await planned(context);
      context.print.list(
        steps.map(({ step }) => step),
        columns,
      );
      return context.flags.has('exit-code') && steps.length > 0 ? 2 : 0;
    },
  },
  {
    name: 'apply',
    about: 'changes the service to match a file, and prints each change',
    operands,
    flags: prune,
    run: apply,
  },
];
