import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Kind, Stored, Write } from '../../shared/app/ports.ts';
import { isJudged } from '../../shared/app/writes/may-write.ts';
import { subjects, type WritingOperation } from '../../shared/app/writes/subjects.ts';
import type { Route } from '../../shared/schema/route.ts';
import { type Operation, routes } from '../../shared/schema/routes.ts';
import { scopes } from '../../shared/schema/scopes.ts';
import { uuidOf } from '../support/records/alerts.ts';
import { kinds } from '../support/records/records.ts';
import { fitting } from '../support/records/schema-values.ts';
import { score, sizeOf, unlessQuick } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';
import { type Changed, watchedKinds, wrongIn } from '../support/writes/may-have-written.ts';
import {
  admin,
  baseBodies,
  both,
  north,
  populate,
  south,
  type Targets,
  type TestBearer,
} from '../support/writes/populated.ts';

const bearers: TestBearer[] = [
  admin,
  north,
  south,
  both,
  { name: 'nobody', groups: [] },
  { name: 'taker', groups: ['north', 'unassigned'] },
  { name: 'north', groups: ['north'], without: ['alerts:read'] },
  { name: 'clerk', groups: null, without: ['settings:write'] },
];

let api: Awaited<ReturnType<typeof startTestApi>>;
let targets: Targets;
let settings: object;
let snapshot: Map<string, Stored<Kind> & { in: Kind }>;
const madeByAdmin = new Set<string>();
const tokens = new Map<TestBearer, string>();
beforeAll(async () => {
  api = await startTestApi(undefined, ['localhost']);
  for (const bearer of bearers) {
    const { name: sub, groups, without = [] } = bearer;
    const scope = scopes.filter((each) => !without.includes(each)).join(' ');
    tokens.set(bearer, await api.issuer.token({ sub, groups: groups ?? '*', scope }));
  }
  targets = await populate(api.world, async (path, body, bearer) => {
    const answer = await api.call('POST', path, { token: tokens.get(bearer) ?? null, body });
    expect([path, bearer.name, answer.status]).toEqual([path, bearer.name, 201]);
    if (bearer === admin) for (const id of Object.values<string>(answer.body)) madeByAdmin.add(id);
    return answer.body;
  });
  await api.call('PUT', '/v1/teams/night', { body: { emails: ['n@example.com'] } });
  for (const group of ['north', 'south'])
    await api.call('PUT', `/v1/places/site/place-${group}`, { body: { name: group, groups: [group], shared: false } });
  settings = (await api.call('GET', '/v1/settings')).body;
  snapshot = await present();
});
afterAll(() => api.stop());

async function present(): Promise<typeof snapshot> {
  const found = await Promise.all(kinds.map((kind) => api.world.store.find({ in: kind, limit: 1000 })));
  return new Map(
    found.flatMap((records, index) =>
      records.map((record) => {
        const kind = kinds[index] as Kind;
        return [`${kind} ${record.id}`, { ...record, in: kind }];
      }),
    ),
  );
}

/** What a call has changed. Afterwards everything is as it was. */
async function changedAndUndone(): Promise<Changed[]> {
  const now = await present();
  const changed: Changed[] = [];
  const undo: Write[] = [];
  for (const key of new Set([...snapshot.keys(), ...now.keys()])) {
    const [was, is] = [snapshot.get(key), now.get(key)];
    if (JSON.stringify(was?.data) === JSON.stringify(is?.data)) continue;
    const [kind = '', id = ''] = key.split(/ (.*)/s);
    if (kind === 'revisions') continue;
    if (watchedKinds.includes(kind as Kind))
      changed.push({ kind: kind as Kind, id, before: was?.data ?? null, after: is?.data ?? null });
    if (!was) undo.push({ kind: 'delete', in: kind, id, revision: is?.revision } as Write);
    else if (!is) undo.push({ kind: 'create', in: kind, id, data: was.data } as Write);
    else undo.push({ kind: 'replace', in: kind, id, data: was.data, revision: is.revision } as Write);
  }
  if (undo.length === 0) return changed;
  // A cached configuration must not be taken for the one of a later call.
  undo.push({ kind: 'accrue', in: 'revisions', id: 'configuration', set: {}, add: { count: 1 } });
  for (let index = 0; index < undo.length; index += 400) await api.world.store.commit(undo.slice(index, index + 400));
  return changed;
}

const { window, schedule, endpoint, rule } = baseBodies;
/** Members of other kinds, and members that only the service sets. */
const stolen = { limitedTo: null, isMadeByLimited: true, createdBy: 'user:admin', groupId: 'south', challenge: null };
const someGroups: unknown[] = [['north'], ['south'], ['north', 'south'], [], null, undefined, ['*'], ['east']];
const withGroups = (of: (groups: unknown) => object) => someGroups.map(of);

/** Hostile bodies of an operation: wider, foreign, null and missing groups, and what fits by chance is tried besides. */
const hostile: Partial<Record<Operation, () => object[]>> = {
  createMaintenanceWindow: () => windows(),
  putMaintenanceWindow: () => windows(),
  createReportSchedule: () => withGroups((groups) => ({ ...schedule, groups })),
  putReportSchedule: () => withGroups((groups) => ({ ...schedule, groups, emails: ['eve@evil.example'] })),
  createWebhook: () => [...endpoints(), ...endpoints().map((body) => ({ ...body, events: ['audit'] }))],
  updateWebhook: () => [...endpoints(), { url: 'https://localhost:65002/' }, { filter: null }, { events: ['audit'] }],
  createRule: () => withGroups((group) => ({ ...rule, name: 'new', condition: { code: '*', group } })),
  putRule: () => withGroups((group) => ({ ...rule, condition: { code: '*', group } })),
  putTeam: () => [{ emails: ['eve@evil.example'] }],
  putSettings: () => [{ ...settings, timeZone: 'Europe/Stockholm' }],
  putPlace: () => withGroups((groups) => ({ name: 'mine', groups, shared: true })),
  changeDevice: () => [{ name: 'mine' }, ...['north', 'south', 'unassigned', 'east'].map((groupId) => ({ groupId }))],
  importDevices: () => [
    ...['north', 'south', 'unassigned'].map((groupId) => ({
      devices: [...(targets['deviceId'] ?? []), 'cam-new'].map((deviceId) => ({ deviceId, groupId })),
    })),
    { devices: (targets['deviceId'] ?? []).map((deviceId) => ({ deviceId, name: 'mine' })) },
  ],
  enrolGuardian: () => [{ publicKey: `MCowBQYDK2VwAyEA${'A'.repeat(43)}=` }],
  actOnAlerts: () => [{ action: 'resolve', alertIds: targets['alertId'] }],
  actOnMatchingAlerts: () => [
    { action: 'resolve', filter: { status: ['open'] } },
    { action: 'resolve', filter: { groupId: ['south'] } },
  ],
  addAlertNote: () => [{ text: 'a note' }],
  addIncidentNote: () => [{ text: 'a note' }],
  createUploadUrl: () => [{ contentType: 'image/jpeg' }],
  snoozeAlert: () => [{ minutes: 5 }],
  snoozeIncident: () => [{ minutes: 5 }],
  replayWebhook: () => [{ since: '2026-11-01T00:00:00Z' }],
  startErasure: () => [{ deviceId: 'cam-south' }, { person: { names: ['Somebody'] } }],
};
function windows(): object[] {
  const wide = withGroups((groups) => ({ ...window, scope: { groups } }));
  return [...wide, { ...window, scope: { codes: ['*'] } }, { ...window, scope: { devices: ['cam-south'] } }];
}
function endpoints(): object[] {
  return withGroups((groups) => ({ ...endpoint, filter: { groups } }));
}

const writing = Object.entries(routes as Record<Operation, Route>).filter(([, { method }]) => method !== 'get') as [
  WritingOperation,
  Route,
][];

test('every writing route names the kind of record that it changes, and previews name none', () => {
  expect(Object.keys(subjects).toSorted()).toEqual(writing.map(([operation]) => operation).toSorted());
  const none = writing.filter(([operation]) => subjects[operation] === null).map(([operation]) => operation);
  expect(none.toSorted()).toEqual(['explainWebhook', 'previewMaintenanceWindow', 'previewRule']);
  const judged = new Set(Object.values(subjects));
  judged.delete(null);
  for (const kind of judged) expect([kind, isJudged(kind as Kind, kind)]).toEqual([kind, true]);
});

/** The path with the members of which only one value is tried. */
const withFixed = (path: string) => path.replace('{kind}', 'site').replace('{of}', '2');

/** The action that the same bearer performs before, because without it there is nothing to undo or to end. */
const preludes: Partial<Record<Operation, [method: string, action: string, body?: object]>> = {
  unacknowledgeAlert: ['POST', 'acknowledge'],
  unsnoozeAlert: ['POST', 'snooze', { minutes: 5 }],
  reopenAlert: ['POST', 'resolve'],
  addAlertNote: ['POST', 'acknowledge'],
  addIncidentNote: ['POST', 'acknowledge'],
  unacknowledgeIncident: ['POST', 'acknowledge'],
  unsnoozeIncident: ['POST', 'snooze', { minutes: 5 }],
  reopenIncident: ['POST', 'resolve'],
  restoreDelivery: ['POST', 'dismiss'],
  restoreQuarantined: ['POST', 'dismiss'],
  promoteWebhookSecret: ['POST', 'rotate-secret'],
  endGuardianEnrolment: ['PUT', 'guardian-key', { publicKey: `MCowBQYDK2VwAyEA${'A'.repeat(43)}=` }],
};

const changes = new Set<Operation>();

test.each(writing)(
  'no bearer changes a record by %s into what he could not create',
  { timeout: 300_000 },
  async (operation, route) => {
    const parameter = /\{(\w+)\}/.exec(withFixed(route.path))?.[1];
    const ids = parameter ? (targets[parameter] ?? []) : [''];
    expect([parameter, ids.length > 0]).toEqual([parameter, true]);
    // An id of another kind, or of nothing, is tried as well.
    const paths = [...ids, ...(parameter ? [uuidOf(1)] : [])].map((id) => withFixed(route.path).replace(/\{\w+\}/, id));
    if (operation === 'removeDevice') paths.push(...paths.map((path) => `${path}?erase=true`));
    const named = hostile[operation]?.() ?? [{}];
    const bodies = route.body
      ? fc.oneof(fitting(route.body, Object.values(targets).flat()), fc.constantFrom<unknown>(...named, {}))
      : fc.constant(undefined);
    const examples = route.body ? named.flatMap((body) => [[body], [{ ...body, ...stolen }]] as [unknown][]) : [];
    let tried = 0;
    const wrong: string[] = [];
    const attempt = async (body: unknown) => {
      for (const path of paths) {
        for (const bearer of bearers) {
          tried += 1;
          const prelude = preludes[operation];
          if (prelude) {
            const [method, action, given = {}] = prelude;
            await api.call(method, path.replace(/[^/]+$/, action), { token: tokens.get(bearer) ?? null, body: given });
          }
          const { status } = await api.call(route.method.toUpperCase(), path, {
            token: tokens.get(bearer) ?? null,
            ...(body === undefined ? {} : { body }),
          });
          const changed = await changedAndUndone();
          // It changes no record, but it allows a write to the bucket.
          const device =
            operation === 'createUploadUrl' && status === 201 ? snapshot.get(`devices ${path.split('/')[3]}`) : null;
          if (device) changed.push({ kind: 'devices', id: device.id, before: device.data, after: device.data });
          for (const each of changed) {
            const why = wrongIn(each, bearer, madeByAdmin);
            const title = `${bearer.name} ${operation} ${path} ${JSON.stringify(body)}: ${status}, ${each.kind} ${each.id}`;
            if (why !== null) wrong.push(`${title}: ${why}`);
          }
          if (changed.length > 0) changes.add(operation);
          // On a machine that is too busy a request may be put off: it has changed nothing.
          if (status >= 500 && status !== 503) wrong.push(`${operation} ${path} ${JSON.stringify(body)}: ${status}`);
        }
      }
      expect(wrong).toEqual([]);
    };
    const numRuns = route.body ? examples.length + unlessQuick(1, sizeOf(2, 20)) : 1;
    try {
      await fc.assert(fc.asyncProperty(bodies, attempt), { numRuns, examples, endOnFailure: true });
    } finally {
      score('S19', 'writing routes × own and foreign records × bearers × hostile bodies', tried, wrong.length);
    }
  },
);

test('the attempts were no dry runs: every writing route has changed something for somebody', () => {
  const idle = writing
    .map(([operation]) => operation)
    .filter((operation) => subjects[operation] !== null && !changes.has(operation));
  // What was dismissed and restored is as it was.
  expect(idle).toEqual(['restoreQuarantined']);
});
