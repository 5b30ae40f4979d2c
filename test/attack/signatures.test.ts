import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { expect, test } from 'vitest';
import { verify } from '../../local/cloud/receiver/verify.ts';
import { signContract, signingKey, signStandard } from '../../shared/adapters/channels/webhook/signing.ts';
import { score } from '../support/score/score.ts';

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const id = 'a3b1c2d4-0000-4000-8000-000000000001';
const at = Math.floor(Date.now() / 1000);
const body = Buffer.from(JSON.stringify({ eventType: 'alert', text: 'ö'.repeat(500) }).padEnd(2048 - 500, ' '));

type Sent = { id: string; timestamp: string; body: Buffer; contract: string; standard: string };

function sent(key = secret): Sent {
  const made = signingKey(key);
  const timestamp = String(at);
  return {
    id,
    timestamp,
    body,
    contract: signContract(made.contract, timestamp, body),
    standard: signStandard(made.standard, id, timestamp, body),
  };
}

/** The verifiers that accept it: our receiver's for the contract's header and for Standard Webhooks, and two published ones for the latter. */
function verifiedBy(given: Sent, key = secret): string[] {
  const { contract, standard } = verify(headersOf(given), given.body, key, at);
  return [
    ...(contract ? ['contract'] : []),
    ...(standard ? ['standard'] : []),
    ...published.flatMap(([name, verifier]) => (isTaken(verifier(key), given) ? [name] : [])),
  ];
}

function headersOf(given: Sent): Record<string, string> {
  return {
    'x-service-signature': given.contract,
    'x-service-timestamp': given.timestamp,
    'webhook-id': given.id,
    'webhook-timestamp': given.timestamp,
    'webhook-signature': given.standard,
  };
}

type Verifier = { verify(body: Buffer, headers: Record<string, string>): unknown };
const published: [string, (key: string) => Verifier][] = [
  ['standardwebhooks', (key) => new Standard(key)],
  ['svix', (key) => new Svix(key)],
];
const standard = ['standard', 'standardwebhooks', 'svix'];
const all = ['contract', ...standard];

function isTaken(verifier: Verifier, given: Sent): boolean {
  try {
    verifier.verify(given.body, headersOf(given));
    return true;
  } catch (error) {
    // The published verifiers parse the body as JSON only after they accepted the signature.
    return error instanceof SyntaxError;
  }
}

function flipped(text: string, index: number): string {
  return `${text.slice(0, index)}${text[index] === '1' ? '2' : '1'}${text.slice(index + 1)}`;
}

/** Requests with one change each, in the body, id, timestamp, signatures or secret. The third element lists the verifiers that must refuse it. */
function* changed(): Generator<[string, Sent, string[]]> {
  const good = sent();
  for (let index = 0; index < body.length; index += 1) {
    for (const bit of [1, 128]) {
      const other = Buffer.from(body);
      other[index] = (other[index] ?? 0) ^ bit;
      yield [`byte ${index} ^ ${bit}`, { ...good, body: other }, all];
    }
  }
  for (let length = 0; length < 100; length += 1)
    yield [`cut to ${length}`, { ...good, body: body.subarray(0, length) }, all];
  yield ['doubled', { ...good, body: Buffer.concat([body, body]) }, all];
  for (let index = 0; index < good.timestamp.length; index += 1)
    yield [`timestamp ${index}`, { ...good, timestamp: flipped(good.timestamp, index) }, all];
  for (const timestamp of ['', '0', 'NaN', '-1']) yield [`timestamp ${timestamp}`, { ...good, timestamp }, all];
  // The published verifiers sign the parsed number, so they accept other spellings of it.
  for (const timestamp of [` ${at}`, `${at}.0`, `0${at}`]) {
    yield [`timestamp ${timestamp}`, { ...good, timestamp }, ['contract', 'standard']];
  }
  // The contract's signature does not cover the id; that of Standard Webhooks does.
  for (let index = 0; index < id.length; index += 1)
    yield [`id ${index}`, { ...good, id: flipped(id, index) }, standard];
  for (let index = 0; index < good.contract.length; index += 1)
    yield [`contract ${index}`, { ...good, contract: flipped(good.contract, index) }, ['contract']];
  for (let index = 3; index < good.standard.length - 2; index += 1)
    yield [`standard ${index}`, { ...good, standard: flipped(good.standard, index) }, standard];
  for (const version of ['v0', 'v2', 'v1a', 'V1', ''])
    yield [version, { ...good, standard: good.standard.replace('v1', version) }, standard];
  for (let number = 0; number < 50; number += 1)
    yield [`secret ${number}`, sent(`whsec_${Buffer.alloc(32, 100 + number).toString('base64')}`), all];
}

test('a request that was changed after signing does not verify', () => {
  const through: string[] = [];
  let tried = 0;
  for (const [title, given, never] of changed()) {
    tried += 1;
    if (verifiedBy(given).some((verifier) => never.includes(verifier))) through.push(title);
  }
  score('S3', 'changed bodies, ids, timestamps, signatures and secrets', tried, through.length);
  expect(through).toEqual([]);
  expect(tried).toBeGreaterThan(3400);
});

test('an unchanged request verifies; during a rotation it verifies with both secrets', () => {
  expect(verifiedBy(sent())).toEqual(all);
  const next = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const both = { ...sent(), standard: `${sent(next).standard} ${sent().standard}` };
  expect(verifiedBy(both)).toEqual(all);
  expect(verifiedBy(both, next)).toEqual(standard);
  expect(verifiedBy(both, 'whsec_AAAA')).toEqual([]);
});
