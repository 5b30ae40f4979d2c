import type { Schemas } from '../../../../sdk/typescript/src/index.ts';
import type { Kind, Reference } from './kind.ts';

const existingOf = ({ ruleId, name, condition, action, enabled }: Schemas['Rule']) => ({
  id: ruleId,
  key: name,
  shown: { name, condition, action, enabled },
});
const bodyOf = (body: object) => body as Schemas['AlertRule'];

export const rules: Kind = {
  section: 'rules',
  key: 'name',
  schema: 'putRuleBody',
  // A condition without groups is one of all groups: what it leaves out is a part of what it says.
  wholes: ['condition', 'action'],
  removable: [],
  async list(client) {
    const found = [];
    for await (const rule of client.each('listRules', { query: { pageSize: 200 } })) found.push(existingOf(rule));
    return found;
  },
  async get(client, ruleId) {
    const { data, etag } = await client.call('getRule', { params: { ruleId } });
    return { existing: existingOf(data), etag };
  },
  exported: ({ shown }) => shown,
  wanted: (whole, existing) => ({ before: existing?.shown ?? {}, shown: whole, body: () => whole }),
  async create(client, _, body) {
    const { data, etag } = await client.call('createRule', { body: bodyOf(body) });
    return { id: data.ruleId, etag };
  },
  async change(client, ruleId, body, ifMatch) {
    const { etag } = await client.call('putRule', { params: { ruleId }, body: bodyOf(body), ...ifMatch });
    return { id: ruleId, etag };
  },
  remove: (client, ruleId, ifMatch) => client.call('deleteRule', { params: { ruleId }, ...ifMatch }),
  references(shown) {
    const { condition, action } = shown as Schemas['AlertRule'];
    const teams = (['team', 'escalate_to'] as const).flatMap((member): Reference[] => {
      const name = action[member];
      return name === undefined ? [] : [{ to: 'team', name, path: ['action', member] }];
    });
    const { group = [], schedule } = condition;
    const groups = group.map((name, at): Reference => ({ to: 'group', name, path: ['condition', 'group', at] }));
    const when: Reference[] =
      schedule === undefined ? [] : [{ to: 'schedule', name: schedule, path: ['condition', 'schedule'] }];
    return [...teams, ...groups, ...when];
  },
};
