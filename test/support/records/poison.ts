/** An unreadable message as a bridge would publish it. */
export type Poison = { what: string; attributes: Record<string, string>; data: Buffer };

const deviceId = 'cam-poison';
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const deepObject = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const good = '{"memory":{"usedPercent":40}}';

const notJson: (string | Buffer)[] = [
  '',
  '{',
  '}',
  'NaN',
  'undefined',
  "{'memory':1}",
  '{"memory":{"usedPercent":40},}',
  `${good}${good}`,
  good.slice(0, -1),
  `\uFEFFx${good}`,
  '{"a":\u0001}',
  '\0\0\0\0',
  '<xml/>',
  Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
  Buffer.from(good, 'utf16le'),
  Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0x00]),
];
const wrongTypes = ['[]', 'null', '1', '"text"', 'true', '1e999', '[{"memory":{"usedPercent":40}}]'];
const wrongShapes: [kind: string, body: unknown][] = [
  ['status', { memory: { usedPercent: 'much' } }],
  ['status', { memory: { usedPercent: -1 } }],
  ['status', { memory: { usedPercent: 101 } }],
  ['status', { memory: null }],
  ['status', { memory: [] }],
  ['status', { seq: 1.5 }],
  ['status', { seq: -1 }],
  ['status', { timestamp: 'yesterday' }],
  ['status', { bootId: 5 }],
  ['status', { groupId: { $gt: '' } }],
  ['status', { somethingElse: 1 }],
  ['connection', {}],
  ['connection', { status: 'maybe' }],
  ['event', { type: 'restarted' }],
  ['event', { timestamp: '2026-11-20T10:00:00Z' }],
  ['guardian', { alertCode: 'CONFIG_GUESSED' }],
  ['guardian', { alertCode: 'CONFIG_DRIFT', severity: 'warning' }],
  ['detection', { session: {} }],
  ['detection', { timestamp: '2026-11-20T10:00:00Z', analysis: { objects: 'many' } }],
  ['status', { deviceId: 'cam-other', memory: { usedPercent: 40 } }],
];
const addresses: Record<string, string>[] = [
  {},
  { deviceId },
  { kind: 'status' },
  { deviceId, kind: 'video' },
  { deviceId, kind: 'STATUS' },
  { deviceId, kind: '__proto__' },
  { deviceId: '../devices', kind: 'status' },
  { deviceId: 'a b', kind: 'status' },
  { deviceId: '-', kind: 'status' },
  { deviceId: 'x'.repeat(129), kind: 'status' },
  { deviceId: 'кам', kind: 'status' },
];

/** `count` unreadable messages, alternately of each kind. All differ in their attributes, those of one kind have the same data. */
export function poisons(count: number): Poison[] {
  const kinds = allKinds();
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length] as Poison;
    // Quarantine keeps 20 messages per device and hour, and one per reason of an unreadable section, so devices differ.
    const own = kind.attributes['deviceId'] === deviceId ? { deviceId: `${deviceId}-${index}` } : {};
    return { ...kind, attributes: { ...kind.attributes, ...own, number: String(index) } };
  });
}

function allKinds(): Poison[] {
  const attributes = { deviceId, kind: 'status' };
  const of = (what: string, body: string | Buffer, given: Record<string, string> = attributes) => ({
    what,
    attributes: given,
    data: Buffer.from(body),
  });
  return [
    ...notJson.map((body) => of('not JSON', body)),
    ...wrongTypes.map((body) => of('wrong type', body)),
    ...wrongShapes.map(([kind, body]) => of('wrong shape', JSON.stringify(body), { deviceId, kind })),
    ...addresses.map((address) => of('wrong address', good, address)),
    of('512 KB', JSON.stringify({ name: 'x'.repeat(512 * 1024) })),
    of('512 KB', Buffer.alloc(512 * 1024, 'x')),
    of('deep', deep(10_000)),
    of('deep', deepObject(10_000)),
    of('deep', deep(100_000)),
    of('deep', `{"memory":${deepObject(10_000)}}`),
  ];
}
