import type { Store, Write } from '../../shared/app/ports.ts';
import { newDevice } from '../../shared/domain/device/device.ts';
import { startOfTests } from '../support/world/world.ts';

/** What each of our stores refuses. `alone`: what the Firestore client or its emulator would do with it without our check. */
export type Refusal = { what: string; alone: 'refuses' | 'takes'; ask(store: Store): Promise<unknown> };

const half = 'a\ud800b';
const device = (more: object) => ({ ...newDevice('a', startOfTests), ...more }) as never;
const create = (data: object, id = 'x'): Write => ({ kind: 'create', in: 'devices', id, data: device(data) });

/** `levels` nested maps and lists, alternately. */
export function nested(levels: number): unknown {
  return levels === 0 ? 1 : levels % 2 ? [nested(levels - 1)] : { a: nested(levels - 1) };
}

const members: [what: string, alone: Refusal['alone'], data: object][] = [
  ['text with half a letter', 'refuses', { name: half }],
  ['text with the halves of a letter the wrong way round', 'refuses', { name: '\udc00\ud800' }],
  ['half a letter in a list of maps', 'refuses', { more: [{ a: half }] }],
  ['half a letter in a name', 'refuses', { more: { [half]: 1 } }],
  ['a reserved name', 'refuses', { __x__: 1 }],
  ['a reserved name in a map', 'refuses', { more: { __x__: 1 } }],
  ['a reserved name in a list', 'refuses', { more: [{ __x__: 1 }] }],
  ['a reserved name of two lines', 'refuses', { more: { '__a\nb__': 1 } }],
  // The client drops this one silently.
  ['the name of the prototype', 'takes', { more: JSON.parse('{"__proto__":{"a":1}}') }],
  // Refused by the published limits; the emulator refuses such names only from five characters on.
  ['a name of four underscores', 'takes', { more: { ____: 1 } }],
  ['an empty name', 'refuses', { '': 1 }],
  ['an empty name in a map', 'refuses', { more: { '': 1 } }],
  // It could never be replaced: an update would read it as a path.
  ['a dot in the name of a member', 'takes', { 'a.b': 1 }],
  ['a name of 1,501 bytes', 'refuses', { more: { ['x'.repeat(1501)]: 1 } }],
  ['a name of 751 letters with 1,502 bytes', 'refuses', { more: { ['é'.repeat(751)]: 1 } }],
  ['a path of 1,600 bytes', 'refuses', { more: { ['x'.repeat(800)]: { ['y'.repeat(795)]: 1 } } }],
  ['21 levels', 'refuses', { more: nested(21) }],
  [
    '21 levels of maps, the last of them empty',
    'refuses',
    { more: JSON.parse(`${'{"a":'.repeat(20)}{}${'}'.repeat(20)}`) },
  ],
  ['a list of lists', 'refuses', { more: [[1]] }],
  ['undefined', 'refuses', { name: undefined }],
  ['undefined in a list', 'refuses', { more: [undefined] }],
  ['a function', 'refuses', { more: () => 1 }],
  ['a Map', 'refuses', { more: new Map() }],
  // It would come back as another type.
  ['a Date', 'takes', { more: new Date(0) }],
  ['a text of a byte more than a value has', 'refuses', { more: 'x'.repeat(1_048_488) }],
  ['a text of fewer letters, and as many bytes', 'refuses', { more: 'é'.repeat(524_244) }],
  ['a record of more than 1 MiB', 'refuses', { more: 'x'.repeat(524_288), other: 'y'.repeat(524_288) }],
  // Only production counts index entries.
  [
    'a record of 40,002 index entries in a list',
    'takes',
    { more: Array.from({ length: 40_000 }, (_, index) => index) },
  ],
  [
    'a record of as many in a map',
    'takes',
    { more: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index])) },
  ],
];

const ids: [what: string, create: Refusal['alone'], get: Refusal['alone'], id: string][] = [
  ['an empty id', 'refuses', 'refuses', ''],
  ['an id of one dot', 'refuses', 'refuses', '.'],
  ['an id of two dots', 'refuses', 'refuses', '..'],
  ['an id with a slash', 'refuses', 'refuses', 'a/b'],
  // It would name a record of a subcollection.
  ['an id with two slashes', 'takes', 'takes', 'a/b/c'],
  ['a reserved id', 'refuses', 'refuses', '__x__'],
  // The form of ids that come from Datastore.
  ['a reserved id with a number', 'takes', 'takes', '__id7__'],
  ['an id of 1,501 bytes', 'refuses', 'takes', 'x'.repeat(1501)],
  // It is written under another id and then not found.
  ['an id with half a letter', 'takes', 'refuses', half],
];

const writes: [what: string, alone: Refusal['alone'], writes: Write[]][] = [
  ['501 writes', 'takes', Array.from({ length: 501 }, (_, index) => create({}, `d${index}`))],
  ['a record that is created twice', 'refuses', [create({}), create({})]],
  ['a patch of half a letter', 'refuses', [{ kind: 'patch', in: 'devices', id: 'a', set: { name: half } }]],
  ['a patch of a reserved name', 'refuses', [{ kind: 'patch', in: 'devices', id: 'a', set: { __x__: 1 } as object }]],
  ['a patch that changes nothing', 'refuses', [{ kind: 'patch', in: 'devices', id: 'a', set: {} }]],
  [
    'a patch that makes its record larger than 1 MiB',
    'refuses',
    [{ kind: 'patch', in: 'devices', id: 'a', set: { other: 'y'.repeat(600_000) } as object }],
  ],
  [
    'an amount under a reserved name',
    'refuses',
    [{ kind: 'accrue', in: 'trends', id: 't', set: {}, add: { hours: { __x__: 1 } } }],
  ],
  [
    'an amount under no name',
    'refuses',
    [{ kind: 'accrue', in: 'trends', id: 't', set: {}, add: { hours: { '': 1 } } }],
  ],
  [
    'an amount under half a letter',
    'refuses',
    [{ kind: 'accrue', in: 'trends', id: 't', set: {}, add: { hours: { [half]: 1 } } }],
  ],
  [
    'an amount that is no number',
    'refuses',
    [{ kind: 'accrue', in: 'trends', id: 't', set: {}, add: { hours: { a: Number.NaN } } }],
  ],
  [
    '501 amounts in one record',
    'takes',
    [
      {
        ...{ kind: 'accrue', in: 'trends', id: 't', set: {} },
        add: Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`n${index}`, 1])),
      },
    ],
  ],
];

const find = (query: object) => (store: Store) => store.find({ in: 'devices', limit: 9, ...query } as never);
const where = (...filters: [field: string, is: string, value: unknown][]) => ({
  where: filters.map(([field, is, value]) => ({ field, is, value })),
});
const queries: [what: string, alone: Refusal['alone'], ask: Refusal['ask']][] = [
  ['half a letter', 'refuses', find(where(['name', '==', half]))],
  ['half a letter in a list', 'refuses', find(where(['name', 'in', ['a', half]]))],
  [
    'half a letter, counted',
    'refuses',
    (store) => store.count({ in: 'devices', ...where(['name', '==', half]) } as never),
  ],
  ['a text of 1,501 bytes', 'refuses', find(where(['name', '==', 'x'.repeat(1501)]))],
  ['undefined', 'refuses', find(where(['name', '==', undefined]))],
  ['more than null', 'refuses', find({ ...where(['dueAt', '>', null]), orderBy: [['dueAt', 'asc']] })],
  ['two lists for an element', 'refuses', find(where(['a', 'array-contains', 1], ['b', 'array-contains', 1]))],
  ['a range without its order', 'refuses', find(where(['dueAt', '<', 'x']))],
  ['a range in another order', 'refuses', find({ ...where(['dueAt', '<', 'x']), orderBy: [['name', 'asc']] })],
  [
    'ranges of 11 fields',
    'refuses',
    find({
      ...where(...Array.from({ length: 11 }, (_, index) => [`f${index}`, '<', 1] as [string, string, unknown])),
      orderBy: Array.from({ length: 11 }, (_, index) => [`f${index}`, 'asc']),
    }),
  ],
  [
    '100 filters',
    'refuses',
    find(where(...Array.from({ length: 100 }, (_, index) => ['name', '==', index] as [string, string, unknown]))),
  ],
  [
    'one order twice',
    'refuses',
    find({
      orderBy: [
        ['name', 'asc'],
        ['name', 'desc'],
      ],
    }),
  ],
  ['a reserved name', 'refuses', find(where(['__x__', '==', 1]))],
  ['a limit below nothing', 'refuses', find({ limit: -1 })],
  ['half a record', 'refuses', find({ limit: 1.5 })],
  // Zero would mean no limit.
  ['a limit of nothing', 'takes', find({ limit: 0 })],
  ['a position of too many values', 'refuses', find({ after: ['a', 'b'] })],
  ['a position without an id', 'takes', find({ orderBy: [['name', 'asc']], after: ['a'] })],
  ['a position at a reserved id', 'refuses', find({ after: ['__x__'] })],
  ['a position at an id with a slash', 'refuses', find({ after: ['a/b'] })],
  ['a position at a number', 'refuses', find({ after: [7] })],
];

export const refusals: Refusal[] = [
  ...members.map(([what, alone, data]) => ({
    what: `a record with ${what}`,
    alone,
    ask: (store: Store) => store.commit([create(data)]),
  })),
  ...ids.flatMap(([what, written, read, id]): Refusal[] => [
    { what: `${what}, written`, alone: written, ask: (store) => store.commit([create({}, id)]) },
    { what: `${what}, read`, alone: read, ask: (store) => store.get('devices', [id]) },
    { what: `${what}, read with others`, alone: read, ask: (store) => store.getMany({ devices: ['a', id] }) },
  ]),
  ...writes.map(([what, alone, list]) => ({
    what: `a commit of ${what}`,
    alone,
    ask: (store: Store) => store.commit(list),
  })),
  ...queries.map(([what, alone, ask]) => ({ what: `a query for ${what}`, alone, ask })),
];

/** Creates the record that exists before each of them. */
export async function prepare(store: Store): Promise<void> {
  await store.commit([create({ more: 'x'.repeat(600_000) }, 'a')]);
}
