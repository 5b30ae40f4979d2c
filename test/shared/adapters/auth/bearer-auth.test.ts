import type { JWTPayload } from 'jose';
import { describe, expect, test } from 'vitest';
import { authenticate, requireScope } from '../../../../shared/adapters/auth/bearer-auth.ts';
import type { Scope } from '../../../../shared/schema/scopes.ts';

const claim = { name: 'groups', isOptional: false };
const caller = (payload: JWTPayload, groupsClaim = claim) =>
  authenticate('Bearer x', async () => ({ sub: 'ana', groups: '*', scope: '', ...payload }), groupsClaim);
const names = (count: number) => Array.from({ length: count }, (_, n) => `g${n}`);

test('the token in the Authorization header is verified; a malformed header is refused before', async () => {
  const seen: string[] = [];
  const verify = async (token: string) => {
    seen.push(token);
    return { sub: 'ana', groups: '*' };
  };
  await authenticate('bearer a.b-c_d~e+f/g=', verify, claim);
  expect(seen).toEqual(['a.b-c_d~e+f/g=']);
  for (const header of [null, undefined, '', 'Bearer', 'Bearer ', 'Basic a', 'Bearer a b', ' Bearer a', 'xBearer a']) {
    await expect(authenticate(header, verify, claim), String(header)).rejects.toMatchObject({
      code: 'unauthenticated',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  expect(seen).toHaveLength(1);
});

test('the caller is named as a user, with the issuer and the expiry of the token', async () => {
  expect(await caller({ iss: 'https://issuer', exp: 1_700_000_000 })).toEqual({
    subject: 'user:ana',
    scopes: new Set(),
    groups: null,
    issuer: 'https://issuer',
    expiresAtMs: 1_700_000_000_000,
  });
  expect(await caller({})).toMatchObject({ issuer: '', expiresAtMs: 0 });
});

test('a subject or a group with invisible characters is refused', async () => {
  const fault = { code: 'unauthenticated', headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } };
  await expect(caller({ sub: 'a\u0000na' })).rejects.toMatchObject(fault);
  await expect(caller({ groups: ['north\u0000'] })).rejects.toMatchObject(fault);
  await expect(caller({ teams: ['north\u0000'] }, { ...claim, name: 'teams' })).rejects.toMatchObject(fault);
});

describe('the scopes', () => {
  test('are those of ours that `scope` names, as text or as a list', async () => {
    const granted = new Set(['alerts:read', 'audit:read']);
    expect((await caller({ scope: 'openid alerts:read audit:read' })).scopes).toEqual(granted);
    expect((await caller({ scope: ['audit:read', 'alerts:read', 'alerts:reads'] })).scopes).toEqual(granted);
    expect((await caller({ scope: 'alerts:read,audit:read' })).scopes).toEqual(new Set());
  });

  test('are those of `scp` only where there is no `scope`', async () => {
    const scp = 'alerts:write';
    expect((await caller({ scope: undefined, scp })).scopes).toEqual(new Set([scp]));
    expect((await caller({ scope: 'alerts:read', scp })).scopes).toEqual(new Set(['alerts:read']));
    expect((await caller({ scope: '', scp })).scopes).toEqual(new Set());
    expect((await caller({ scope: undefined })).scopes).toEqual(new Set());
  });

  test.each([[7], [true], [{}], [['alerts:read', 7]]])('are refused in another form: %j', async (scope) => {
    await expect(caller({ scope })).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(caller({ scope: undefined, scp: scope })).rejects.toThrow('`scp`');
  });
});

describe('the groups', () => {
  test('are all with `*`, alone or in a list', async () => {
    expect((await caller({ groups: '*' })).groups).toBeNull();
    expect((await caller({ groups: ['north', '*'] })).groups).toBeNull();
  });

  test('are listed once each, without invalid names', async () => {
    expect((await caller({ groups: ['north', 'south', 'north', 'not a group', '', '-x'] })).groups).toEqual([
      'north',
      'south',
    ]);
    expect((await caller({ groups: [] })).groups).toEqual([]);
  });

  test('are none without the claim, and all only where the claim is optional', async () => {
    expect((await caller({ groups: undefined })).groups).toEqual([]);
    expect((await caller({ groups: undefined }, { ...claim, isOptional: true })).groups).toBeNull();
    expect((await caller({ groups: ['north'] }, { ...claim, isOptional: true })).groups).toEqual(['north']);
  });

  test('are read from the claim that the settings name', async () => {
    expect((await caller({ teams: ['north'] }, { ...claim, name: 'teams' })).groups).toEqual(['north']);
    expect((await caller({}, { ...claim, name: 'teams' })).groups).toEqual([]);
  });

  test.each([['north'], [7], [null], [{}], [['north', 7]]])('are refused in another form: %j', async (groups) => {
    await expect(caller({ groups })).rejects.toThrow('is not a list of names');
  });

  test('are at most a hundred', async () => {
    expect((await caller({ groups: names(100) })).groups).toHaveLength(100);
    expect((await caller({ groups: [...names(100), 'no group', 'g1'] })).groups).toHaveLength(100);
    await expect(caller({ groups: names(101) })).rejects.toThrow('names 101 groups, more than 100');
  });

  test.each([[{ hasgroups: true }], [{ _claim_names: { groups: 'src1' } }]])(
    'are refused if the issuer omitted them because there are too many: %j',
    async (left) => {
      for (const isOptional of [false, true]) {
        await expect(caller({ groups: undefined, ...left }, { ...claim, isOptional })).rejects.toThrow(
          'too many groups',
        );
      }
      expect((await caller({ groups: ['north'], ...left })).groups).toEqual(['north']);
    },
  );

  test.each([
    [{ hasgroups: false }],
    [{ _claim_names: { roles: 'src1' } }],
    [{ _claim_names: null }],
    [{ _claim_names: 'groups' }],
  ])('do not count as omitted for %j', async (notified) => {
    expect((await caller({ groups: undefined, ...notified })).groups).toEqual([]);
  });
});

describe('a scope', () => {
  const route = (scope: Scope, given: object = {}) =>
    ({ method: 'get', path: '/x', summary: '', answer: null, scope, ...given }) as const;
  const bearer = (scopes: Scope[], groups: string[] | null = null) => ({
    subject: 'user:ana',
    scopes: new Set(scopes),
    groups,
  });
  const refusal = (held: Scope[], groups: string[] | null, asked: ReturnType<typeof route>) => {
    try {
      requireScope(bearer(held, groups), asked);
      return null;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  test('allows the routes that need it, and no others', () => {
    expect(refusal(['alerts:read'], null, route('alerts:read'))).toBeNull();
    expect(refusal(['alerts:read'], null, route('alerts:write'))).toBe('forbidden');
    expect(refusal([], null, route('alerts:read'))).toBe('forbidden');
    expect(() => requireScope(bearer([]), route('alerts:read'))).toThrow(
      expect.objectContaining({
        headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="alerts:read"' },
      }),
    );
  });

  test('may have an alternative scope that also allows the route', () => {
    const either = route('audit:read', { orScope: 'alerts:read' });
    expect(refusal(['alerts:read'], null, either)).toBeNull();
    expect(refusal(['audit:read'], null, either)).toBeNull();
    expect(refusal(['devices:read'], null, either)).toBe('forbidden');
  });

  test('for the whole fleet is refused to a token limited to groups', () => {
    const wide = route('settings:write');
    expect(refusal(['settings:write'], null, wide)).toBeNull();
    expect(refusal(['settings:write'], ['north'], wide)).toBe('limited-to-groups');
    expect(refusal(['settings:write'], [], wide)).toBe('limited-to-groups');
    expect(refusal(['settings:write'], ['north'], route('settings:write', { isOfGroups: true }))).toBeNull();
    expect(refusal(['alerts:read'], ['north'], route('alerts:read'))).toBeNull();
  });

  test('with an alternative needs an unlimited token only if both scopes do', () => {
    const held: Scope[] = ['audit:read'];
    expect(refusal(held, ['north'], route('audit:read', { orScope: 'alerts:read' }))).toBeNull();
    expect(refusal(held, ['north'], route('audit:read', { orScope: 'settings:write' }))).toBe('limited-to-groups');
  });
});
