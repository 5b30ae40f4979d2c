import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import type { Kind } from './kind.ts';

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
  checkable: (item) => ({ body: item, faults: [] }),
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
  wanted(item) {
    // A rule without groups is a rule of all groups. The service shows it with an empty list.
    const condition = { group: [], ...(item['condition'] as object) };
    const shown = { enabled: true, ...item, condition };
    return { shown, body: () => shown };
  },
  create: (client, _, body) => client.call('createRule', { body: bodyOf(body) }),
  change: (client, ruleId, body, ifMatch) =>
    client.call('putRule', { params: { ruleId }, body: bodyOf(body), ...ifMatch }),
  remove: (client, ruleId, ifMatch) => client.call('deleteRule', { params: { ruleId }, ...ifMatch }),
};
