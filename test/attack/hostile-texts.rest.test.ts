import { expect, test } from 'vitest';
import { enrolGuardian } from '../../shared/app/devices/guardian-key.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import type { Message } from '../../shared/domain/intake/pushed.ts';
import { createSigner, enveloped } from '../support/guardian/signer.ts';
import { ana } from '../support/records/alerts.ts';
import { hostileTexts, isUnseen, unseenIn } from '../support/records/lies.ts';
import { allRecords } from '../support/records/records.ts';
import { message } from '../support/records/reports.ts';
import { guardianAlert } from '../support/records/stories.ts';
import { score } from '../support/score/score.ts';
import { frames } from '../support/world/frames.ts';
import { createTestWorld, startOfTests } from '../support/world/world.ts';

// S20: who attacks a camera chooses texts that shall keep the alert about the attack from being opened, or shall deceive its reader.

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const timestamp = startOfTests;
const placeholder = '@hostile@';

type Attack = { what: string; codes: readonly string[]; kind: string; data: Buffer };

const attempt = {
  ...{ type: 'unauthorized_broker_attempt', timestamp, reason: 'r' },
  ...{ expectedHost: 'broker.example', attemptedHost: 'evil.example' },
};
const drift = guardianAlert('drift', ['broker.host'], timestamp);
const conflict = guardianAlert('conflict', ['broker.host'], timestamp);
const status = {
  ...{ name: 'Gate', model: 'M1', serial: 'S1', firmware: '1.0', ip: '192.0.2.7' },
  certificate: { valid: false, reason: 'revoked' },
  auth: { failedAttempts: 9, windowSeconds: 60 },
};

/** Messages that open alerts, and their members that somebody else may have chosen. */
const evidence: [kind: string, body: object, codes: readonly string[], members: readonly string[]][] = [
  ['event', attempt, ['SEC_002'], ['/attemptedHost', '/expectedHost', '/reason', '/timestamp', '/other']],
  ['event', { type: 'certificate_validation_failed', timestamp, reason: 'r' }, ['SEC_001'], ['/reason', '/timestamp']],
  [
    ...(['guardian', drift, ['CFG_001', 'SEC_002']] as const),
    [
      ...['/drift/fields/0/actual', '/drift/fields/0/expected', '/drift/fields/0/severity', '/drift/count', '/action'],
      ...['/severity', '/timestamp', '/device/serial', '/device/model', '/device/ip', '/device', '/other'],
    ],
  ],
  [
    ...(['guardian', conflict, ['CFG_003']] as const),
    ['/recommendation', '/conflict/window', '/conflict/lastDrift/field', '/conflict/lastDrift/actual', '/timestamp'],
  ],
  ['status', status, ['SEC_001', 'SEC_004'], ['/certificate/reason', '/name', '/model', '/serial', '/ip', '/other']],
];

/** JSON texts that stand in place of a member. */
const values: [what: string, json: Buffer][] = [
  ...hostileTexts.map(([what, text]): [string, Buffer] => [what, Buffer.from(JSON.stringify(text))]),
  ['half a letter', Buffer.from('"a\\ud800"')],
  ['a control character without an escape', Buffer.from('"a\u0001\u001b[2Jb"')],
  ['a line break without an escape', Buffer.from('"a\r\nb"')],
  ['bytes that are no UTF-8', Buffer.concat([Buffer.from('"a'), Buffer.from([0xff, 0xc3]), Buffer.from('"')])],
  ['a value of 300 KB', Buffer.from(JSON.stringify('x'.repeat(300_000)))],
  ['nothing', Buffer.from('null')],
  ['a number', Buffer.from('17')],
  ['a list', Buffer.from('["evil.example",{"\\u202e":"\\u200b"}]')],
  ['what nests deep', Buffer.from(`${'['.repeat(5000)}${']'.repeat(5000)}`)],
  ['a second member of the name', Buffer.from(`"a","${placeholder}":1,"${placeholder}":2`)],
];

function withMember(body: object, pointer: string, json: Buffer): Buffer {
  const copy = structuredClone(body) as Record<string, unknown>;
  const path = pointer.slice(1).split('/');
  const holder = path.slice(0, -1).reduce((held, name) => held[name] as Record<string, unknown>, copy);
  holder[path.at(-1) ?? ''] = placeholder;
  const [before = '', after = ''] = JSON.stringify(copy).split(JSON.stringify(placeholder));
  return Buffer.concat([Buffer.from(before), json, Buffer.from(after)]);
}

function* attacks(): Generator<Attack> {
  for (const [kind, body, codes, members] of evidence) {
    for (const member of members) {
      for (const [what, json] of values) {
        // A status report may be too large or have sections of the wrong type: those are refused, and say nothing else.
        if (kind === 'status' && /300 KB|nests/.test(what)) continue;
        yield { what: `${kind} ${member}: ${what}`, codes, kind, data: withMember(body, member, json) };
      }
      const { [member.slice(1)]: _, ...without } = body as Record<string, unknown>;
      yield { what: `${kind} without ${member}`, codes, kind, data: Buffer.from(JSON.stringify(without)) };
    }
  }
}

async function outcomeOf(given: (world: ReturnType<typeof createTestWorld>) => Promise<Message>) {
  const world = createTestWorld();
  await takeMessage(world, message('status', { memory: { usedPercent: 40 } }), intake);
  const attack = await given(world);
  await takeMessage(world, attack, intake);
  await takeMessage(world, attack, intake);
  const [device] = await world.store.get('devices', ['cam-1']);
  // The excerpt of a message in quarantine shows its JSON text, with the escapes in it.
  const records = (await allRecords(world.store)).map((record) => {
    const { excerpt, ...members } = JSON.parse(record.slice(record.indexOf('{')));
    return [members, [`${excerpt}`].filter(isUnseen)];
  });
  return { open: Object.keys(device?.data.open ?? {}), unseen: records.flatMap(unseenIn) };
}

test('whatever text is in a message about an attack, its alert is opened, and no record holds a character that cannot be seen', {
  timeout: 120_000,
}, async () => {
  const through: string[] = [];
  const tried = [...attacks()];
  for (const { what, codes, kind, data } of tried) {
    const { open, unseen } = await outcomeOf(async () => message(kind, data));
    if (!codes.every((code) => open.includes(code))) through.push(`${what}: opened ${open.join(', ') || 'nothing'}`);
    if (unseen.length > 0) through.push(`${what}: ${unseen[0]?.slice(0, 200)}`);
  }
  expect(through).toEqual([]);
  expect(tried.length).toBeGreaterThan(200);
  score('S20', 'hostile texts in messages about an attack', tried.length, through.length);
});

test('a guardian that signs what it found on its camera is believed whatever the text is', {
  timeout: 120_000,
}, async () => {
  const through: string[] = [];
  for (const [what, text] of hostileTexts) {
    const [field] = drift.alertCode === 'CONFIG_DRIFT' ? drift.drift.fields : [];
    const found = { ...drift, drift: { fields: [{ ...field, actual: text }], maxSeverity: 'CRITICAL', count: 1 } };
    const { open, unseen } = await outcomeOf(async (world) => {
      const signer = createSigner();
      await enrolGuardian(world, ana, 'cam-1', { publicKey: signer.publicKey });
      return enveloped(signer.envelope(1, found), {});
    });
    if (!open.includes('SEC_002') || unseen.length > 0) through.push(`${what}: ${open.join(', ')} ${unseen[0] ?? ''}`);
  }
  expect(through).toEqual([]);
  score('S20', 'hostile texts in signed messages of guardians', hostileTexts.length, through.length);
});
