import type { AnswerTo, ItemOf, ListOperation, Operation } from '../../../sdk/typescript/src/index.ts';
import { WatchpostError } from '../../../sdk/typescript/src/index.ts';
import type { Command, Context, Flags, Given } from '../command.ts';
import { type Column, plain } from '../output.ts';
import { refusalOf } from '../refusal.ts';
import { wholeIdOf } from '../short-ids.ts';

const limit = { about: 'how many at most (100)', value: 'N', number: [1, 1_000_000] } as const;

/** The members of a request that flags set, ids whole. */
async function queryOf(own: Flags, { flags, client, terminal }: Context): Promise<object> {
  const query: Record<string, unknown> = {};
  for (const [name, { member, isMany }] of Object.entries(own)) {
    const given = flags.texts(name);
    if (member === undefined || given === undefined) continue;
    const whole = await Promise.all(given.map((each) => wholeIdOf(client(), member, each, terminal.signal)));
    query[member] = isMany ? whole : whole[0];
  }
  return query;
}

/** A command that prints the items of a list operation, up to `--limit`. Its flags name the members of the query. */
export function listing<Op extends ListOperation>(
  operation: Op,
  given: {
    name: string;
    about: string;
    flags?: Flags;
    columns: readonly Column<ItemOf<Op>>[];
  },
): Command {
  return {
    name: given.name,
    about: given.about,
    flags: { ...given.flags, limit },
    async run(context) {
      const { flags, client, print, terminal } = context;
      const most = flags.number('limit') ?? 100;
      const query = { pageSize: Math.min(most, 200), ...(await queryOf(given.flags ?? {}, context)) };
      const found: ItemOf<Op>[] = [];
      const items = client().each(operation, ...([{ query, signal: terminal.signal }] as never));
      for await (const item of items) {
        if (found.length === most) {
          terminal.err(`There are more than ${most}: --limit shows them.\n`);
          break;
        }
        found.push(item);
      }
      print.list(found, given.columns);
      return true;
    },
  };
}

/** A command that shows one record. @param say the record in sentences for people */
export function showing<Op extends Operation>(
  operation: Op,
  name: string,
  id: string,
  about: string,
  say?: (record: AnswerTo<Op>) => string[],
): Command {
  return {
    name,
    about,
    operands: { shown: placeholder(id), least: 1, most: 1 },
    async run({ operands, client, print, terminal }) {
      const api = client();
      const whole = await wholeIdOf(api, id, operands[0] ?? '', terminal.signal);
      const given = { params: { [id]: whole }, signal: terminal.signal };
      const { data } = await api.call(operation, ...([given] as never));
      if (say) print.sentences(data as object, say(data));
      else print.record(data as object);
      return true;
    },
  };
}

/** A command that does the same to several records, continues after refusals, and prints the results. */
export function acting<Op extends Operation>(
  operation: Op,
  given: {
    name: string;
    about: string;
    id: string;
    flags?: Flags;
    body?: (flags: Given) => unknown;
    columns: readonly Column<AnswerTo<Op>>[];
  },
): Command {
  const { name, about, id, flags: own = {}, columns } = given;
  return {
    name,
    about,
    operands: { shown: `${placeholder(id)}...`, least: 1, most: 1000 },
    flags: own,
    async run({ operands, flags, client, print, terminal }) {
      const body = given.body?.(flags);
      const api = client();
      const done: AnswerTo<Op>[] = [];
      const isWhole = await eachOf({ terminal, own }, operands, async (operand) => {
        const whole = await wholeIdOf(api, id, operand, terminal.signal);
        const call = { params: { [id]: whole }, ...(body === undefined ? {} : { body }), signal: terminal.signal };
        const { data } = await api.call(operation, ...([call] as never));
        if (data !== null) done.push(data);
      });
      if (done.length > 0) print.list(done, columns);
      return isWhole;
    },
  };
}

/**
 * Handles each record once, one after another, and prints refusals. Throws, and so stops, if the service does not
 * answer or does not accept the token (401, 403).
 */
async function eachOf(
  { terminal, own }: Pick<Context, 'terminal'> & { own: Flags },
  operands: readonly string[],
  act: (operand: string) => Promise<void>,
): Promise<boolean> {
  let isWhole = true;
  for (const operand of new Set(operands)) {
    try {
      await act(operand);
    } catch (error) {
      const isRefusal = error instanceof WatchpostError && error.status >= 400 && ![401, 403].includes(error.status);
      if (!isRefusal && !(error instanceof TypeError)) throw error;
      const said = error instanceof WatchpostError ? refusalOf(error, own) : error.message;
      terminal.err(`${plain(`${operand}: ${said}`)}\n`);
      isWhole = false;
    }
  }
  return isWhole;
}

/** `alertId` as the help shows it: ALERT_ID. */
export function placeholder(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** The members that are not undefined. */
export function withoutGaps<Members extends Record<string, unknown>>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
