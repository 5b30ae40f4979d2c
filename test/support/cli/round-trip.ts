import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';
import { parse, stringify } from 'yaml';
import { startTestApi } from '../world/api.ts';
import { commandLineOf } from '../world/command-line.ts';
import { createTestWorld } from '../world/world.ts';
import {
  type Change,
  change,
  configuration,
  type Item,
  identity,
  keyOf,
  type ListName,
  lasting,
  type Sections,
} from './fleet-configurations.ts';

const lists = Object.keys(keyOf) as ListName[];
const secrets: Record<string, string> = {
  NEW_CHAT: 'https://hooks.slack.com/services/T0/B0/planted-chat-secret',
  HANDOFF: '0123456789abcdef0123456789abcdef',
  HEADER: 'planted-header-secret',
  KEY: 'planted-key-secret',
  SIGNING: 'planted-signing-secret',
  TOKENS: 'planted-client-secret',
  CLIENT: identity.key,
};
/** The variables that an export names itself have a value too, except those of chats, where a value is a new address. */
const env = new Proxy(secrets, {
  get: (known, name) => {
    const text = String(name);
    if (text in known) return known[text];
    if (text.startsWith('HANDOFF_')) return secrets['HANDOFF'];
    if (text.endsWith('_CLIENT_KEY')) return identity.key;
    return text.startsWith('WEBHOOK_') ? `planted-secret-of-${text}` : undefined;
  },
});

/** JSON Merge Patch (RFC 7396), as its authors write it. */
function patched(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Item = typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = patched(result[name], value);
  }
  return result;
}

const atOnce = ['condition', 'action', 'scope', 'recurrence', 'filter'];

/** What a record must be after a file has been applied. */
function after(list: ListName, before: Item | undefined, part: Item): Item {
  const result = { ...before };
  for (const [name, value] of Object.entries(part)) {
    if (value === null) delete result[name];
    else if (name === 'handoffs') result[name] = (value as Item[]).map((each) => handoffAfter(before, each));
    else if (name === 'secret') result[name] = credentialAfter(before?.[name], value);
    else if (name in proofs) result[name] = provenAfter(name as keyof typeof proofs, before, value as Item);
    else if (name === 'headers') result[name] = headersAfter((before?.[name] ?? {}) as Item, value as Item);
    else result[name] = atOnce.includes(name) ? patched({}, value) : patched(before?.[name], value);
  }
  return { ...defaults[list], ...result };
}

/** A reference without a version keeps the credential that is there, with its version. */
function credentialAfter(before: unknown, given: unknown): unknown {
  const { version } = given as Item;
  return before && version === undefined ? before : given;
}

/** Members with a credential inside. */
const proofs = { oauth2: 'clientSecret', clientCertificate: 'key' };

function provenAfter(name: keyof typeof proofs, before: Item | undefined, given: Item): Item {
  const known = (before?.[name] ?? {}) as Item;
  const inner = proofs[name];
  return { ...known, ...given, [inner]: credentialAfter(known[inner], given[inner]) };
}

function headersAfter(before: Item, given: Item): Item {
  const entries = Object.entries(given).map(([name, value]) => [
    name,
    typeof value === 'object' ? credentialAfter(before[name], value) : value,
  ]);
  return { ...before, ...Object.fromEntries(entries) };
}

function handoffAfter(team: Item | undefined, given: Item): Item {
  const known = ((team?.['handoffs'] ?? []) as Item[]).find(({ name }) => name === given['name']);
  const fresh = { settings: {}, severities: ['CRITICAL', 'ERROR', 'WARNING'], enabled: true };
  return {
    ...fresh,
    ...known,
    ...given,
    credential: credentialAfter(known?.['credential'], given['credential']),
  };
}

/** The members that the service gives a new record. */
const defaults: Record<ListName, Item> = {
  teams: {},
  rules: { enabled: true },
  maintenance: {},
  webhooks: {
    ...{ method: 'POST', events: ['detection'], membersOfIncidents: true, format: 'native', drill: false },
    ...{ sequenced: false, maxAttempts: 3, timeoutSeconds: 10, enabled: true },
  },
};

/** A configuration without what cannot be told from nothing, and without names of variables and of chats. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(plain);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const { chatId: _, ...rest } = value as Item;
  if ('env' in rest) return { credential: rest['version'] ?? 'without version' };
  const members = Object.entries(rest).map(([name, part]) => [name, plain(part)] as const);
  const kept = members.filter(([, part]) => part !== undefined).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

const byKey = (list: ListName, items: readonly Item[]) =>
  items.toSorted((a, b) => (String(a[keyOf[list]]) < String(b[keyOf[list]]) ? -1 : 1));
const shape = (sections: Sections) =>
  plain({ ...sections, ...Object.fromEntries(lists.map((list) => [list, byKey(list, sections[list])])) });

/** The file that a person writes, and the configuration that it must lead to. */
function written(before: Sections, given: Change): { file: Item; expected: Sections } {
  const file: Item = { version: 1 };
  const expected: Sections = { ...before };
  if (given.settings) {
    file['settings'] = given.settings;
    expected.settings = patched(before.settings, given.settings) as Item;
  }
  for (const list of lists) {
    const { parts, added, left, isInFile } = given[list];
    if (!isInFile) continue;
    const key = keyOf[list];
    const all = before[list];
    const isLeftOut = (item: Item) => left.some((at) => all[at] === item) && !lasting.includes(String(item['name']));
    const there = all.filter((item) => !isLeftOut(item));
    const known = new Set(all.map((item) => item[key]));
    const changes = [...parts.filter((item) => known.has(item[key])), ...added].filter(
      (item, at, items) => items.findIndex((other) => other[key] === item[key]) === at,
    );
    const changed = new Set(changes.map((item) => item[key]));
    // A record that is not changed may stand in the file as it is, or with nothing but its name.
    const others = there
      .filter((item) => !changed.has(item[key]))
      .map((item, at) => (at % 2 === 0 ? item : { [key]: item[key] }));
    file[list] = [...others, ...changes];
    const kept = all.filter((item) => !changed.has(item[key]) && (!given.isPruned || there.includes(item)));
    expected[list] = [
      ...kept,
      ...changes.map((part) =>
        after(
          list,
          all.find((item) => item[key] === part[key]),
          part,
        ),
      ),
    ];
  }
  return { file, expected };
}

/** Plays random configurations and changes. */
export async function playRoundTrips(runs: number): Promise<void> {
  await fc.assert(fc.asyncProperty(configuration, change, playOne), {
    numRuns: runs,
    endOnFailure: true,
  });
}

async function playOne(sections: Sections, given: Change): Promise<void> {
  const api = await startTestApi(createTestWorld());
  try {
    const devices = ['north', 'south', 'east'].map((groupId) => ({ deviceId: `cam-${groupId}`, groupId }));
    await api.call('PUT', '/v1/devices', { body: { devices } });
    const line = commandLineOf(api);
    const run = async (args: string[], input = '', expected = 0) => {
      const said = await line.run(args, { input, env });
      expect([said.status, said.err], input).toEqual([expected, '']);
      return said.out;
    };
    await run(['apply', '-'], stringify({ version: 1, ...sections }));
    const before = await run(['export']);
    await run(['plan', '-', '--prune', '--exit-code'], before);
    const records = await recordsOf(api);

    const { file, expected } = written(parse(before) as Sections, given);
    const prune = given.isPruned ? ['--prune'] : [];
    const text = stringify(file);
    const planned = await run(['plan', '-', '--json', ...prune], text);
    expect(await run(['export'])).toBe(before);
    expect(await run(['apply', '-', '--json', ...prune], text)).toBe(planned);
    const result = await run(['export']);
    expect(shape(parse(result) as Sections), text).toEqual(shape({ ...expected, version: 1 } as never));
    await run(['plan', '-', '--exit-code', ...prune], text);
    await run(['plan', '-', '--exit-code', '--prune'], result);

    const changed = new Set(
      (JSON.parse(planned) as { kind: string; name: string }[]).map(({ kind, name }) => `${kind} ${name}`),
    );
    for (const [name, record] of await recordsOf(api)) {
      if (records.has(name) && !changed.has(name))
        expect(isDeepStrictEqual(record, records.get(name)), name).toBe(true);
    }
    for (const secret of Object.values(secrets)) expect(result + planned).not.toContain(secret);
  } finally {
    await api.stop();
  }
}

/** All records as the API shows them, with the instant of their last change. */
async function recordsOf(api: Awaited<ReturnType<typeof startTestApi>>): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  const paths = { teams: 'teams', rules: 'rules', maintenance: 'maintenance-windows', webhooks: 'webhooks' };
  for (const list of lists) {
    const { body } = await api.call('GET', `/v1/${paths[list]}`);
    for (const record of body[list === 'maintenance' ? 'windows' : list] as Item[]) {
      found.set(`${list} ${record[keyOf[list]]}`, record);
    }
  }
  return found;
}
