import { webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { createTokenVerifier } from '../../shared/adapters/auth/token-verifier.ts';
import { bodyOf } from '../../shared/adapters/http/request-body.ts';
import { isSignedBy } from '../../shared/domain/guardian/trust.ts';
import { readMessage } from '../../shared/domain/intake/message.ts';
import { AppError } from '../../shared/errors.ts';
import { message } from '../support/records/reports.ts';
import { score } from '../support/score/score.ts';

// S17: public test vectors for parsers of tokens, signatures and JSON (vectors/README.md).

const vectors = <T>(name: string): T =>
  JSON.parse(gunzipSync(readFileSync(new URL(`vectors/${name}.json.gz`, import.meta.url))).toString());

type Tests<T> = { tests: (T & { tcId: number; comment: string; result: 'valid' | 'invalid' | 'acceptable' })[] };
type Jws = Tests<{ jws: unknown }> & { comment: string; private?: object; public?: object };
type Signed = Tests<{ msg: string; sig: string }> & { publicKeyDer: string };

/** Errors of jose that can only follow after it accepted the signature. */
const behindTheSignature = ['ERR_JWT_CLAIM_VALIDATION_FAILED', 'ERR_JWT_INVALID', 'ERR_JWT_EXPIRED'];
/** The other groups have symmetric keys, which none of our tokens use. */
const isPublic = (group: Jws) => group.public !== undefined;

test('all tokens of Wycheproof are refused, and their signatures get Wycheproof’s verdicts', async () => {
  const groups = vectors<Jws[]>('wycheproof-jws');
  const through: string[] = [];
  let tried = 0;
  let good = 0;
  for (const group of groups) {
    vi.stubGlobal('fetch', async () => Response.json({ keys: [group.public ?? group.private] }));
    const verifyToken = createTokenVerifier({
      issuer: 'https://i.test',
      audience: 'a',
      keysUrl: 'https://i.test/keys',
    });
    for (const { tcId, comment, jws, result } of group.tests) {
      tried += 1;
      const token = typeof jws === 'string' ? jws : JSON.stringify(jws);
      const error: unknown = await verifyToken(token).then(
        () => null,
        (refusal: unknown) => refusal,
      );
      const code = error instanceof AppError ? error.code : String(error);
      const cause = (error as { cause?: { code?: string } } | null)?.cause?.code ?? '';
      const isTaken = behindTheSignature.includes(cause);
      if (isTaken && result === 'valid') good += 1;
      if (code !== 'unauthenticated') through.push(`${tcId} ${group.comment} ${comment}: ${code} ${cause}`);
      if (isTaken && (result === 'invalid' || !isPublic(group)))
        through.push(`${tcId} ${group.comment} ${comment}: signature taken`);
    }
  }
  vi.unstubAllGlobals();
  expect(through).toEqual([]);
  expect(tried).toBe(401);
  // Some signatures were accepted. Otherwise a failure to parse could explain every refusal.
  expect(good).toBeGreaterThan(10);
  score('S17', 'tokens of Wycheproof', tried, through.length);
});

test('signatures of guardians get Wycheproof’s verdicts for Ed25519', () => {
  const through: string[] = [];
  let tried = 0;
  for (const { publicKeyDer, tests } of vectors<Signed[]>('wycheproof-ed25519')) {
    for (const { tcId, comment, msg, sig, result } of tests) {
      const bytes = Buffer.from(msg, 'hex');
      // Guardians sign text, so other messages are left out.
      if (!Buffer.from(bytes.toString()).equals(bytes)) continue;
      tried += 1;
      const key = Buffer.from(publicKeyDer, 'hex').toString('base64');
      const isTaken = isSignedBy(key, bytes.toString(), Buffer.from(sig, 'hex').toString('base64'));
      if (isTaken !== (result === 'valid')) through.push(`${tcId} ${comment}: ${isTaken}`);
    }
  }
  expect(through).toEqual([]);
  expect(tried).toBeGreaterThan(60);
  score('S17', 'signatures of Ed25519, of Wycheproof', tried, through.length);
});

test('ECDSA signatures of ES256 get Wycheproof’s verdicts', async () => {
  const through: string[] = [];
  let tried = 0;
  for (const { publicKeyDer, tests } of vectors<Signed[]>('wycheproof-ecdsa-p256')) {
    const spki = Buffer.from(publicKeyDer, 'hex');
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const key = await webcrypto.subtle.importKey('spki', spki, algorithm, false, ['verify']);
    for (const { tcId, comment, msg, sig, result } of tests) {
      tried += 1;
      const [data, signature] = [Buffer.from(msg, 'hex'), Buffer.from(sig, 'hex')];
      const isTaken = await webcrypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, signature, data);
      if (isTaken !== (result === 'valid')) through.push(`${tcId} ${comment}: ${isTaken}`);
    }
  }
  expect(through).toEqual([]);
  score('S17', 'signatures of ECDSA, of Wycheproof', tried, through.length);
});

/** Valid JSON documents that every edge refuses, each with the expected reason. */
const refusedThough: Record<string, RegExp> = {
  'y_object_duplicated_key.json': /appears twice/,
  'y_object_duplicated_key_and_value.json': /appears twice/,
  'y_object_escaped_null_in_key.json': /U\+0000/,
  'y_string_null_escape.json': /U\+0000/,
  'y_string_allowed_escapes.json': /U\+0008/,
  'y_string_escaped_control_character.json': /U\+0012/,
  'y_string_u+2028_line_sep.json': /U\+2028/,
  'y_string_u+2029_par_sep.json': /U\+2029/,
  'y_string_unescaped_char_delete.json': /U\+007F/,
  'y_string_unicode_U+200B_ZERO_WIDTH_SPACE.json': /U\+200B/,
  'y_string_unicode_U+2064_invisible_plus.json': /U\+2064/,
  'y_string_with_del_character.json': /U\+007F/,
};

/** Each edge returns its reason to refuse a document; null: it parsed the document. */
const edges: Record<string, (bytes: Buffer) => string | null> = {
  'the body of a request': (bytes) => {
    try {
      bodyOf(bytes);
      return null;
    } catch (error) {
      return (error as AppError).message;
    }
  },
  'a message of a device': (bytes) => faultIn(readMessage(message('event', bytes), 'native')),
  'the envelope of a guardian': (bytes) => {
    // An envelope carries text, so bytes that are not UTF-8 cannot arrive in it.
    if (!Buffer.from(bytes.toString()).equals(bytes)) return 'is not JSON';
    const envelope = { v: 1, epoch: 'e', seq: 1, alert: bytes.toString(), signature: 'A' };
    return faultIn(readMessage(message('guardian-alert', envelope), 'native'));
  },
};

/** No document of the suite is a valid report, so one that was parsed is refused for its shape. That counts as accepted. */
function faultIn(read: ReturnType<typeof readMessage>): string | null {
  if (read.kind !== 'refused') return null;
  const [first] = read.refusal.errors;
  const isOfShape = read.refusal.reason === 'wrong-shape' && /must|required/.test(first?.detail ?? '');
  return isOfShape ? null : `${first?.pointer} ${first?.detail}`;
}

test.each(Object.entries(edges))('JSON at %s is judged as the JSONTestSuite corpus says', (edge, faultOf) => {
  const documents = Object.entries(vectors<Record<string, string>>('json-test-suite'));
  const through: string[] = [];
  for (const [name, base64] of documents) {
    const fault = faultOf(Buffer.from(base64, 'base64'));
    const known = refusedThough[name];
    if (name.startsWith('n_') && !/is not JSON|is \d+ bytes, at most/.test(fault ?? ''))
      through.push(`${name}: ${fault ?? 'taken'}`);
    if (name.startsWith('y_') && known && !known.test(fault ?? '')) through.push(`${name}: ${fault ?? 'taken'}`);
    if (name.startsWith('y_') && !known && fault !== null) through.push(`${name}: ${fault}`);
  }
  expect(through).toEqual([]);
  expect(documents).toHaveLength(318);
  score('S17', `JSON at ${edge}`, documents.length, through.length);
});
