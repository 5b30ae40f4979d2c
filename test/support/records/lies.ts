import { startOfTests } from '../world/world.ts';
import { detection } from './detections.ts';
import { guardianAlert } from './stories.ts';

// An attacker who controls one camera lies in every member of every message that the camera may send.

/** Members of a detection that name a frame of the camera itself. */
export const image = { imageUrl: undefined, frame: 'cam-1/own.jpg' };

/** Messages with every member that the service reads. */
const sayings: [kind: string, body: object][] = [
  [
    'status',
    {
      ...{ timestamp: startOfTests, bootId: 'b1', seq: 1, groupId: 'north', name: 'Gate', model: 'M1', serial: 'S1' },
      ...{ firmware: '1.0', ip: '192.0.2.7', uptimeSeconds: 5, deviceId: 'cam-1' },
      mqtt: { brokerHost: 'b', latencyMs: 900, reconnectAttempts: 1, lastConnected: startOfTests },
      certificate: { valid: false, notAfter: startOfTests, reason: 'revoked' },
      auth: { failedAttempts: 9, windowSeconds: 60 },
      memory: { usedPercent: 95 },
      storage: { freeMegabytes: 20 },
    },
  ],
  ['connection', { status: 'offline', timestamp: startOfTests, connectedAt: startOfTests, reason: 'r' }],
  [
    'event',
    {
      ...{ type: 'unauthorized_broker_attempt', timestamp: startOfTests, reason: 'r' },
      ...{ expectedHost: 'broker.example', attemptedHost: 'other.example' },
    },
  ],
  ['event', { type: 'certificate_validation_failed', timestamp: startOfTests, reason: 'r' }],
  ['guardian', guardianAlert('drift', ['broker.host'], startOfTests)],
  ['guardian', guardianAlert('heal', ['broker.host'], startOfTests)],
  ['guardian', guardianAlert('conflict', ['broker.host'], startOfTests)],
  ['detection', { ...detection('own'), ...image, device: { id: 'cam-1', name: 'Gate', groupId: 'north' } }],
  ['guardian-alert', { v: 1, epoch: 'e1', seq: 1, alert: '{}', signature: 'AAAA' }],
  ['guardian-health', { v: 1, epoch: 'e1', seq: 1, health: '{}', signature: 'AAAA' }],
];

/** Texts that a mail program, chat or browser could show as links, mentions or markup. */
export const textLies = [
  'https://evil.example/login',
  'HtTpS://evil.example',
  'evil.example',
  '[Open the alert](https://evil.example)',
  '[here](evil.example)',
  '<https://evil.example|Open the alert>',
  '<!channel> <!here> <!everyone> <!subteam^S1>',
  '<@U0123456> <#C1>',
  '<users/all>',
  '<at>Everybody</at>',
  '@here @channel @all a@evil.example',
  '</p></a><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '&lt;script&gt; &#60;b&#62;',
  '*bold* _it_ ~gone~ `code` ```block```',
  '{{DATE(2026-11-20T10:00:00Z,SHORT)}}',
  '$' + '{secret}',
  'a\u202egpj.exe\u200b',
  'line one\nline two',
];

/** Texts with characters that cannot be seen, that turn others around, or that are too long. */
export const hostileTexts: [what: string, text: string][] = [
  ['a soft hyphen', 'evil\u00ad.example'],
  ['an override', 'evil\u202egpj.exe'],
  ['an isolate', '\u2066evil\u2069'],
  ['a mark of direction', 'evil\u200f.example'],
  ['a zero-width space', 'evil\u200b.example'],
  ['a joiner that joins nothing', 'evil\u200d.example'],
  ['a null', 'evil\u0000.example'],
  ['an escape sequence', '\u001b[2J\u001b]8;;https://evil.example\u0007'],
  ['a control of C1', 'evil\u009b31m'],
  ['a byte order mark', '\ufeffevil.example'],
  ['tags', 'evil\u{e0041}\u{e007f}'],
  ['a separator of lines', 'evil\u2028example'],
  ['a header after a line break', 'evil\r\nBcc: all@evil.example'],
  ['10,000 characters', 'e'.repeat(10_000)],
  ['10,000 that cannot be seen', '\u200b'.repeat(10_000)],
  ['nothing at all', ''],
  ['markup', '</p><script>alert(1)</script><!channel>[x](https://evil.example)'],
];

const unseen = /[\p{Bidi_Control}\p{Cc}\p{Cs}\u00ad\u200b\u2028\u2029\u2060\ufeff\u{e0000}-\u{e007f}]/u;

/** Whether a text has a character that cannot be seen or turns others around. Line breaks and tabs can be seen. */
export function isUnseen(text: string): boolean {
  return unseen.test(text.replaceAll(/[\t\r\n]/g, ''));
}

/** The texts and member names in a value, or in JSON text within it, that have such a character. */
export function unseenIn(value: unknown): string[] {
  if (typeof value === 'string') {
    const held = /^\s*[[{]/.test(value) ? parsed(value) : null;
    return [...(isUnseen(value) ? [value] : []), ...(held === null ? [] : unseenIn(held))];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [...(isUnseen(name) ? [name] : []), ...unseenIn(member)]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const deep = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`);
/** False values for a member. `text`: JSON text, inserted as it is. */
const untruths: [what: string, lie: { value: unknown } | { text: string }][] = [
  ["another's id", { value: 'cam-2' }],
  ["another's group", { value: 'south' }],
  ["another's frame", { value: 'cam-2/secret.jpg' }],
  ["another's frame by its address", { value: 'gs://frames/cam-2/secret.jpg' }],
  ["a way to another's frame", { value: 'cam-1/../cam-2/secret.jpg' }],
  ["another's session", { value: 'victim' }],
  ["another's endpoint", { value: '22222222-2222-4222-8222-222222222222' }],
  ["another's place", { value: 'devices/cam-2' }],
  ['half a letter', { text: '"a\\ud800"' }],
  ['a text turned around', { value: 'gate\u202e1' }],
  ['a text that nobody sees', { value: 'cam\u200b-2\u0000' }],
  ['markup', { value: '<script>alert(1)</script><!channel>[x](https://evil.example)' }],
  ['a link', { value: 'https://evil.example/login' }],
  ['a text of 100 KB', { value: 'x'.repeat(100_000) }],
  ['a number beyond all', { text: '1e400' }],
  ['a list of 10,000', { value: Array.from({ length: 10_000 }, (_, n) => n) }],
  ['what nests deep', { value: deep }],
  ['the prototype', { text: '{"__proto__":{"groupId":"south","deviceId":"cam-2"},"constructor":{"prototype":{}}}' }],
  ['a reserved name', { value: { __name__: 'x', __x__: 1 } }],
  ['the far future', { value: '9999-12-31T23:59:59.999Z' }],
  ['the far past', { value: '0001-01-01T00:00:00Z' }],
  ['nothing', { value: null }],
  ['another type', { value: [{}] }],
];

type Path = readonly string[];

/** The paths of all members of a value. */
function* pathsOf(value: unknown, at: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    yield [...at, name];
    yield* pathsOf(member, [...at, name]);
  }
}

const placeholder = '@lie@';

/** JSON text with one false member. The path begins at the innermost name. `twice`: the false member follows the true one of the same name. */
function lied(body: object, [last = '', ...before]: Path, lie: { value: unknown } | { text: string }, twice: boolean) {
  const copy = structuredClone(body);
  const holder = before.reduceRight(
    (held, name) => held[name] as Record<string, unknown>,
    copy as Record<string, unknown>,
  );
  const truth = JSON.stringify(holder[last]);
  holder[last] = placeholder;
  const text = 'text' in lie ? lie.text : JSON.stringify(lie.value);
  const whole = JSON.stringify(copy);
  const member = `${JSON.stringify(last)}:${JSON.stringify(placeholder)}`;
  if (!twice || Array.isArray(holder)) return whole.replace(JSON.stringify(placeholder), () => text);
  return whole.replace(member, () => `${JSON.stringify(last)}:${truth},${JSON.stringify(last)}:${text}`);
}

export type Lie = { what: string; kind: string; data: Buffer };

/** Every member of every message, and an unknown one, replaced by each false value. Each member also once with a false duplicate after it. */
export function* lies(): Generator<Lie> {
  for (const [kind, body] of sayings) {
    const ways = [...pathsOf({ ...body, unknown: 1 })].map((path) => path.toReversed());
    for (const path of ways) {
      const way = `${kind} ${path.toReversed().join('/')}`;
      const whole = { ...body, unknown: 1 };
      for (const [what, lie] of untruths) {
        yield { what: `${way}: ${what}`, kind, data: Buffer.from(lied(whole, path, lie, false)) };
      }
      const [, another] = untruths[0] ?? ['', { value: '' }];
      yield { what: `${way}: a lie behind the truth`, kind, data: Buffer.from(lied(whole, path, another, true)) };
    }
  }
}
