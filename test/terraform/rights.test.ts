import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reasons, type ShownPlan, tableOfRights, withTable } from '../../tools/terraform/rights.ts';
import { readTerraform } from '../support/terraform/terraform.ts';

const page = readFileSync('docs/security.md', 'utf8');
const grants = (
  await Promise.all(['terraform', 'terraform/modules/function', 'terraform/modules/front'].map(readGrants))
).flat();

async function readGrants(folder: string): Promise<{ name: string; roles: string[] }[]> {
  const { whole } = await readTerraform(folder);
  return Object.entries(whole.resource)
    .filter(([type]) => /_iam_(member|binding|policy)$/.test(type))
    .flatMap(([type, byName]) =>
      Object.entries(byName).map(([name, [block]]) => ({
        name: `${type}.${name}`,
        roles: JSON.stringify(block).match(/roles\/[\w.]+/g) ?? [],
      })),
    );
}

test('every grant of Terraform has its reason, and every reason its grant', () => {
  expect(grants.map(({ name }) => name).toSorted()).toEqual(Object.keys(reasons).toSorted());
});

test('the page shows every reason, and every role that Terraform names', () => {
  for (const reason of Object.values(reasons)) expect(page).toContain(`| ${reason} |`);
  const roles = grants.flatMap((grant) => grant.roles);
  expect(roles.length).toBeGreaterThan(20);
  for (const role of roles) expect(page).toContain(`| \`${role.replace('roles/', '')}\` |`);
});

const asked = 'google_pubsub_topic_iam_member.canary';
const one = { who: 'ingest', role: 'roles/pubsub.publisher', topic: 'projects/p/topics/messages' };

/** A plan of these grants, and of one of each other kind. */
function planOf(...given: (typeof one)[]): ShownPlan {
  const others = Object.keys(reasons).filter((name) => name !== asked);
  const grant = (address: string, values: object) => ({
    address,
    type: address.replace(/\..*$/, ''),
    values: {
      ...{ bucket: 'b', role: 'roles/x.y', member: 'serviceAccount:other@p.iam.gserviceaccount.com' },
      policy_data: JSON.stringify({ bindings: [{ role: 'roles/x.y', members: ['user:one@example.com'] }] }),
      ...values,
    },
  });
  const resources = [
    ...others.map((name) => grant(`${name}["k"]`, {})),
    ...given.map(({ who, role, topic }) =>
      grant(`${asked}["${who}"]`, { bucket: undefined, role, topic, member: `serviceAccount:${who}@p.iam.x.com` }),
    ),
  ];
  return { planned_values: { root_module: { resources } }, configuration: { root_module: {} } };
}
const rowsOf = (plan: ShownPlan) =>
  tableOfRights(plan)
    .split('\n')
    .filter((line) => line.includes(reasons[asked] ?? '?'));

test('grants that differ only in who has them are one row', () => {
  expect(rowsOf(planOf(one, { ...one, who: 'deadline' }))).toEqual([
    `| \`deadline\`, \`ingest\` | \`pubsub.publisher\` | topic \`messages\` | ${reasons[asked]} |`,
  ]);
  expect(rowsOf(planOf(one, { ...one, role: 'projects/p/roles/own' }))).toHaveLength(2);
  expect(rowsOf(planOf(one, { ...one, topic: 'projects/p/topics/other' }))).toHaveLength(2);
});

test('a reason whose grant the plan lacks is refused, and so is a member that the plan does not know', () => {
  expect(() => tableOfRights(planOf())).toThrow(asked);
  expect(() => tableOfRights(planOf({ ...one, who: '' }))).toThrow('is no account that the plan knows');
});

test('a table is written in its place alone', () => {
  expect(withTable(page, '| a |').replace('| a |', 'X').split('\n').length).toBeLessThan(page.split('\n').length);
  expect(() => withTable('no place', '| a |')).toThrow('has no place');
});
