import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import { channels } from '../../../shared/schema/vocabulary.ts';
import type { Command } from '../command.ts';
import { acting, listing, showing, withoutGaps } from './records.ts';

const nameOperand = { shown: 'NAME', least: 1, most: 1 };

type Turn = Schemas['OnCall']['rotations'][number]['now'];
const turnOf = (turn: Turn) =>
  turn === null ? 'nobody' : `${turn.name}${turn.to === null ? '' : ` until ${turn.to}`}`;

function onCallLines({ team, at, rotations }: Schemas['OnCall']): string[] {
  if (rotations.length === 0) return [`Team ${team} has no rotation: nobody is on call.`];
  return rotations.map(({ now, next }) => `At ${at}, ${turnOf(now)} is on call in team ${team}; then ${turnOf(next)}.`);
}

/** Rules, teams and the settings of the fleet. Changes to them belong in the configuration (`watchpost apply`). */
export const settingsCommands: readonly Command[] = [
  listing('listRules', {
    name: 'rules list',
    about: 'lists alert rules in the order in which they apply',
    columns: [
      ['ruleId', ({ ruleId }) => ruleId],
      ['name', ({ name }) => name],
      ['enabled', ({ enabled }) => enabled],
      ['condition', ({ condition }) => condition],
      ['action', ({ action }) => action],
    ],
  }),
  showing('getRule', 'rules show', 'ruleId', 'shows one rule'),
  acting('deleteRule', { name: 'rules remove', about: 'removes rules', id: 'ruleId', columns: [] }),
  {
    name: 'teams list',
    about: 'lists teams and their contacts',
    async run({ client, print, terminal }) {
      const { data } = await client().call('listTeams', { signal: terminal.signal });
      print.list(data.teams, [
        ['name', ({ name }) => name],
        ['emails', ({ emails }) => emails],
        ['phones', ({ phones }) => phones],
        ['chats', ({ chats }) => chats.map(({ kind }) => kind)],
        ['handoffs', ({ handoffs }) => handoffs.map(({ name }) => name)],
      ]);
      return true;
    },
  },
  showing('getTeam', 'teams show', 'name', 'shows one team'),
  {
    name: 'teams on-call',
    about: 'says who is on call in a team, and who follows',
    operands: nameOperand,
    flags: { at: { about: 'at which time, as 18:00 (now)', value: 'TIME', time: 'next', member: 'at' } },
    async run({ operands: [name = ''], flags, client, print, terminal }) {
      const query = withoutGaps({ at: flags.text('at') });
      const { data } = await client().call('getOnCall', { params: { name }, query, signal: terminal.signal });
      print.sentences(data, onCallLines(data));
      return true;
    },
  },
  {
    name: 'teams test',
    about: 'sends a test message to the contacts of a team',
    operands: nameOperand,
    flags: { channel: { about: 'only on this channel', value: 'C', oneOf: channels } },
    async run({ operands: [name = ''], flags, client, print, terminal }) {
      const body = withoutGaps({ channel: flags.text('channel') }) as Schemas['TeamTestRequest'];
      const { data } = await client().call('testTeam', { params: { name }, body, signal: terminal.signal });
      print.list(data.deliveries, [
        ['deliveryId', ({ deliveryId }) => deliveryId],
        ['channel', ({ channel }) => channel],
        ['target', ({ target }) => target],
      ]);
      return true;
    },
  },
  {
    name: 'settings',
    about: 'shows the settings of the fleet',
    async run({ client, print, terminal }) {
      print.record((await client().call('getSettings', { signal: terminal.signal })).data);
      return true;
    },
  },
];
