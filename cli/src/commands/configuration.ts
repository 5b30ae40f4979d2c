import type { Command, Context, Flags } from '../command.ts';
import type { PlannedStep, Step } from '../configuration/plan.ts';
import { readText } from '../connection.ts';
import type { Column } from '../output.ts';

const prune: Flags = { prune: { about: 'delete what stands in a section of the service and not in that of the file' } };
const operands = { shown: 'FILE', least: 1, most: 1 };
const columns: Column<Step>[] = [
  ['action', ({ action }) => action],
  ['kind', ({ kind }) => kind],
  ['name', ({ name }) => name],
  ['members', ({ changes }) => changes.map(({ member }) => member)],
];

/** The YAML reader and the schemas are loaded only here, because other commands do not need them. */
async function planned({ operands: [path = ''], flags, terminal, client }: Context): Promise<PlannedStep[]> {
  const { readConfiguration } = await import('../configuration/document.ts');
  const { wishesOf } = await import('../configuration/wishes.ts');
  const { planOf } = await import('../configuration/plan.ts');
  const file = readConfiguration(path, path === '-' ? await terminal.readInput() : readText(path));
  const wishes = wishesOf(file);
  return planOf(client(), { file, wishes, isPruned: flags.has('prune'), secrets: (name) => terminal.env[name] });
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
    about: 'prints what apply would do with a file (- is standard input)',
    operands,
    flags: prune,
    async run(context) {
      const steps = await planned(context);
      context.print.list(
        steps.map(({ step }) => step),
        columns,
      );
      return true;
    },
  },
  {
    name: 'apply',
    about: 'changes the service to match a file, and prints each change',
    operands,
    flags: prune,
    async run(context) {
      const done: Step[] = [];
      const steps = await planned(context);
      try {
        for (const { step, act } of steps) {
          await act(context.client());
          done.push(step);
        }
      } catch (error) {
        const { action, kind, name } = steps[done.length]?.step ?? { action: '', kind: '', name: '' };
        context.terminal.err(
          `${action} of ${kind} "${name}" was refused; ${done.length} of ${steps.length} steps are done.\n`,
        );
        context.print.list(done, columns);
        throw error;
      }
      context.print.list(done, columns);
      return true;
    },
  },
];
