import type { JWTPayload } from 'jose';
import { describe, expect, test } from 'vitest';
import { callerOf, createAuthenticator, requireRight } from '../../../../shared/adapters/auth/bearer-auth.ts';
import type { AppError } from '../../../../shared/errors.ts';
import { type Scope, scopes } from '../../../../shared/schema/scopes.ts';
import type { Issuer } from '../../../../shared/settings-issuers.ts';
import { issuersOf } from '../../../support/world/issuer.ts';

const caller = (payload: JWTPayload, entry: Partial<Issuer> = {}) => {
  const [issuer] = issuersOf({ issuer: 'https://issuer' });
  return callerOf({ sub: 'ana', groups: '*', scope: '', ...payload }, { ...(issuer as Issuer), ...entry });
};
const refusalOf = (payload: JWTPayload, entry: Partial<Issuer> = {}) => {
  try {
    return caller(payload, entry);
  } catch (error) {
    return error as AppError;
  }
};
const names = (count: number) => Array.from({ length: count }, (_, n) => `g${n}`);

test('a malformed header is refused before a key is fetched', async () => {
  const authenticate = createAuthenticator(issuersOf({ issuer: 'https://issuer' }, { issuer: 'https://other' }));
  for (const header of [null, undefined, '', 'Bearer', 'Bearer ', 'Basic a', 'Bearer a b', ' Bearer a', 'xBearer a']) {
    await expect(authenticate(header), String(header)).rejects.toMatchObject({
      code: 'unauthenticated',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  for (const header of ['Bearer a', 'bearer a.b.c', 'BEARER e30.e30.e30']) {
    await expect(authenticate(header), header).rejects.toMatchObject({
      code: 'unauthenticated',
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    });
  }
});

test('the caller is named as a user, with the issuer and the expiry of the token', async () => {
  expect(caller({ iss: 'https://issuer', exp: 1_700_000_000 })).toEqual({
    subject: 'user:ana',
    scopes: new Set(),
    groups: null,
    issuer: 'https://issuer',
    expiresAtMs: 1_700_000_000_000,
    faultOfGroups: null,
  });
  expect(caller({})).toMatchObject({ issuer: '', expiresAtMs: 0 });
});

test('a subject or a group with invisible characters is refused', async () => {
  const fault = { code: 'unauthenticated', headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } };
  expect(refusalOf({ sub: 'a\u0000na' })).toMatchObject(fault);
  expect(refusalOf({ groups: ['north\u0000'] })).toMatchObject(fault);
  expect(refusalOf({ teams: ['north\u0000'] }, { groupsClaim: 'teams' })).toMatchObject(fault);
});

describe('the scopes', () => {
  test('are those of ours that `scope` names, as text or as a list', async () => {
    const granted = new Set(['alerts:read', 'audit:read']);
    expect(caller({ scope: 'openid alerts:read audit:read' }).scopes).toEqual(granted);
    expect(caller({ scope: ['audit:read', 'alerts:read', 'alerts:reads'] }).scopes).toEqual(granted);
    expect(caller({ scope: 'alerts:read,audit:read' }).scopes).toEqual(new Set());
  });

  test('are those of `scp` only where there is no `scope`', async () => {
    const scp = 'alerts:write';
    expect(caller({ scope: undefined, scp }).scopes).toEqual(new Set([scp]));
    expect(caller({ scope: 'alerts:read', scp }).scopes).toEqual(new Set(['alerts:read']));
    expect(caller({ scope: '', scp }).scopes).toEqual(new Set());
    expect(caller({ scope: undefined }).scopes).toEqual(new Set());
  });

  test.each([[7], [true], [{}], [['alerts:read', 7]]])('are refused in another form: %j', async (scope) => {
    expect(refusalOf({ scope })).toMatchObject({ code: 'unauthenticated' });
    expect(refusalOf({ scope: undefined, scp: scope })).toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('`scp`'),
    });
  });
});

describe('the groups', () => {
  test('are all with `*`, alone or in a list', async () => {
    expect(caller({ groups: '*' }).groups).toBeNull();
    expect(caller({ groups: ['north', '*'] }).groups).toBeNull();
  });

  test('are listed once each, without invalid names', async () => {
    expect(caller({ groups: ['north', 'south', 'north', 'not a group', '', '-x'] }).groups).toEqual(['north', 'south']);
    expect(caller({ groups: [] }).groups).toEqual([]);
  });

  test.each([[undefined], [[]], [['no group', '-x']], [['*x']]])(
    'are none where the claim is %j, with what to do',
    (groups) => {
      const { groups: none, faultOfGroups } = caller({ groups });
      expect([none, faultOfGroups]).toEqual([[], expect.stringContaining('`groups`')]);
      expect(caller({ groups }, { groupsClaim: 'teams', allGroups: 'all' }).faultOfGroups).toContain('`all` for all');
      expect(caller({ groups: ['north'] }).faultOfGroups).toBeNull();
    },
  );

  test('are all by the element that the issuer has for that, and by no other', () => {
    const entry = { allGroups: 'b7f3-everything' };
    expect(caller({ groups: ['north', 'b7f3-everything'] }, entry).groups).toBeNull();
    expect(caller({ groups: ['b7f3-everything-else'] }, entry).groups).toEqual(['b7f3-everything-else']);
    for (const groups of [['*'], ['*', 'north']]) expect(caller({ groups }, entry).groups).not.toBeNull();
    expect(refusalOf({ groups: '*' }, entry)).toMatchObject({ code: 'unauthenticated' });
  });

  test('are read from the claim that the settings name', async () => {
    expect(caller({ teams: ['north'] }, { groupsClaim: 'teams' }).groups).toEqual(['north']);
    expect(caller({}, { groupsClaim: 'teams' }).groups).toEqual([]);
  });

  test.each([['north'], [7], [null], [{}], [['north', 7]]])('are refused in another form: %j', async (groups) => {
    expect(refusalOf({ groups })).toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('is not a list of names'),
    });
  });

  test('are at most a hundred', async () => {
    expect(caller({ groups: names(100) }).groups).toHaveLength(100);
    expect(caller({ groups: [...names(100), 'no group', 'g1'] }).groups).toHaveLength(100);
    expect(refusalOf({ groups: names(101) })).toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('names 101 groups, more than 100'),
    });
  });

  test.each([[{ hasgroups: true }], [{ _claim_names: { groups: 'src1' } }]])(
    'are refused if the issuer omitted them because there are too many: %j',
    async (left) => {
      expect(refusalOf({ groups: undefined, ...left })).toMatchObject({
        message: expect.stringContaining('too many groups'),
      });
      expect(caller({ groups: ['north'], ...left }).groups).toEqual(['north']);
    },
  );

  test.each([
    [{ hasgroups: false }],
    [{ _claim_names: { roles: 'src1' } }],
    [{ _claim_names: null }],
    [{ _claim_names: 'groups' }],
  ])('do not count as omitted for %j', async (notified) => {
    expect(caller({ groups: undefined, ...notified }).groups).toEqual([]);
  });
});

describe('a scope', () => {
  const route = (scope: Scope, given: object = {}) =>
    ({ method: 'get', path: '/x', summary: '', answer: null, scope, ...given }) as const;
  const bearer = (scopes: Scope[], groups: string[] | null = null, faultOfGroups: string | null = null) => ({
    subject: 'user:ana',
    scopes: new Set(scopes),
    groups,
    faultOfGroups,
  });
  const refusal = (held: Scope[], groups: string[] | null, asked: ReturnType<typeof route>) => {
    try {
      requireRight(bearer(held, groups), asked);
      return null;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  test('allows the routes that need it, and no others', () => {
    expect(refusal(['alerts:read'], null, route('alerts:read'))).toBeNull();
    expect(refusal(['alerts:read'], null, route('alerts:write'))).toBe('forbidden');
    expect(refusal([], null, route('alerts:read'))).toBe('forbidden');
    expect(() => requireRight(bearer([]), route('alerts:read'))).toThrow(
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
    expect(refusal(['settings:write'], ['north'], route('settings:write', { isOfGroups: true }))).toBeNull();
    expect(refusal(['alerts:read'], ['north'], route('alerts:read'))).toBeNull();
  });

  test('with an alternative needs an unlimited token only if both scopes do', () => {
    const held: Scope[] = ['audit:read'];
    expect(refusal(held, ['north'], route('audit:read', { orScope: 'alerts:read' }))).toBeNull();
    expect(refusal(held, ['north'], route('audit:read', { orScope: 'settings:write' }))).toBe('limited-to-groups');
  });

  test('opens nothing to a token without groups but what any token opens', () => {
    const nobody = bearer([...scopes], [], 'The token names no group.');
    expect(() => requireRight(nobody, route('alerts:read'))).toThrow(
      expect.objectContaining({ code: 'no-groups', message: 'The token names no group.' }),
    );
    expect(() => requireRight(nobody, { ...route('alerts:read'), scope: 'any-token' })).not.toThrow();
  });
});

describe('the roles of an application of Entra ID', () => {
  const entra = { roles: true, allGroups: 'all-groups' };
  const app = (roles: unknown, more: JWTPayload = {}) => ({ idtyp: 'app', groups: undefined, roles, ...more });

  test('are its scopes and groups, and nothing else is', () => {
    const all = { scope: 'alerts:write', scp: 'devices:write', groups: ['south'] };
    const { scopes: granted, groups } = caller(app(['alerts:read', 'group:north', 'group:x y', 'south'], all), entra);
    expect([granted, groups]).toEqual([new Set(['alerts:read']), ['north']]);
    expect(caller(app(['alerts:read', 'all-groups']), entra).groups).toBeNull();
  });

  test.each([[undefined], [[]], [['alerts:read', '*']], [['group:']]])(
    'name no group in %j, with what to do',
    (roles) => {
      const { groups, faultOfGroups } = caller(app(roles), entra);
      expect([groups, faultOfGroups]).toEqual([[], expect.stringMatching(/role `group:ID`.*`all-groups` for all/)]);
    },
  );

  test('are refused in another form', () => {
    for (const roles of ['alerts:read', 7, {}, ['alerts:read', 7]]) {
      expect(refusalOf(app(roles), entra)).toMatchObject({ message: expect.stringContaining('`roles`') });
    }
  });

  test('mean nothing without `idtyp`, and at an issuer that is not set up for them', () => {
    const roles = ['alerts:write', 'all-groups'];
    for (const idtyp of [undefined, 'user', 'APP', ['app'], true]) {
      const given = { idtyp, roles, scope: 'alerts:read', groups: ['north'] };
      const { scopes: granted, groups } = caller(given, entra);
      expect([idtyp, granted, groups]).toEqual([idtyp, new Set(['alerts:read']), ['north']]);
    }
    expect(caller({ ...app(roles), groups: [] }, { roles: false })).toMatchObject({ scopes: new Set(), groups: [] });
  });
});

test('a subject of another issuer than that of the console has the name of its entry before it', () => {
  expect(caller({}, { name: 'machines', signIn: false }).subject).toBe('machines:ana');
});

test('scopes are read from the claim that the issuer has for them, and from no other', () => {
  const given = { permissions: ['alerts:read'], scope: 'alerts:write', scp: 'devices:write' };
  expect(caller(given, { scopeClaim: 'permissions' }).scopes).toEqual(new Set(['alerts:read']));
});
