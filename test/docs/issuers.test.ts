import { readFileSync } from 'node:fs';
import { parse } from '@cdktf/hcl2json';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthenticator } from '../../shared/adapters/auth/bearer-auth.ts';
import { isFleetWide, isOpenTo, type Route } from '../../shared/schema/route.ts';
import { routes } from '../../shared/schema/routes.ts';
import { scopes } from '../../shared/schema/scopes.ts';
import { type Issuer, issuerList } from '../../shared/settings-issuers.ts';
import { createTestRouter } from '../support/world/api.ts';
import { startTestIssuer } from '../support/world/issuer.ts';
import { createTestWorld } from '../support/world/world.ts';

const page = readFileSync('docs/issuers.md', 'utf8');
/** The settings of a section, as Terraform would hand them to the API, and the scopes that the console asks for. */
async function recipeOf(
  heading: string,
): Promise<{ issuers: readonly Issuer[]; consoleScopes: string[]; text: string }> {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const block = /```hcl\n([\s\S]+?)```/.exec(text)?.[1] ?? '';
  const { auth } = (await parse('page.tf', `locals {\n${block}\n}`)).locals[0];
  const entries = auth.issuers.map((entry: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(entry).map(([name, value]) => [name.replace(/_(\w)/, (_, letter) => letter.toUpperCase()), value]),
    ),
  );
  return { issuers: issuerList(JSON.stringify(entries)), consoleScopes: auth.console_scopes, text };
}

const tokenOf = (name: string) =>
  JSON.parse(readFileSync(`test/docs/tokens/${name}.json`, 'utf8')) as {
    source: string[];
    header: object;
    claims: Record<string, unknown>;
  };

let issuer: Awaited<ReturnType<typeof startTestIssuer>>;
beforeAll(async () => {
  issuer = await startTestIssuer();
});
afterAll(() => issuer.stop());

/** The API with a recipe's settings, at an issuer on this machine, and a token with the claims that the product makes. */
async function played(heading: string, token: string, change: Record<string, unknown> = {}) {
  const { issuers } = await recipeOf(heading);
  const { header, claims } = tokenOf(token);
  // Only the address and the times are of this machine.
  const own = issuers.map((entry) => {
    expect(entry.issuer).toBe(claims['iss']);
    return { ...entry, issuer: issuer.url };
  });
  const now = Math.floor(Date.now() / 1000);
  const times = { iss: issuer.url, iat: now, exp: now + 600, ...('nbf' in claims ? { nbf: now } : {}) };
  const cleared = { scope: undefined, groups: undefined };
  const signed = await issuer.token({ ...cleared, ...claims, ...times, ...change } as never, header);
  const { router } = createTestRouter(createTestWorld(), { issuers: own, allowHosts: [] });
  const call = async (method: string, path: string) => {
    const headers = { Authorization: `Bearer ${signed}`, 'Content-Type': 'application/json', 'Content-Length': '2' };
    const body = method === 'get' ? {} : { body: '{}' };
    const answer = await router.fetch(
      new Request(`http://watchpost.test${path}`, { method: method.toUpperCase(), headers, ...body }),
    );
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  return { call, signed };
}

const recipes = [
  [
    'Entra ID, people',
    'entra-person',
    [...scopes],
    ['0a4d2b6e-7c1f-4f0b-8a35-6f2d1b9c4e01', '5c9e7d10-3b2a-4e8f-9d64-2a7b8c3f5d02'],
  ],
  ['Entra ID, applications', 'entra-application', ['alerts:read', 'devices:read'], ['north']],
  ['Auth0', 'auth0-person', ['alerts:read', 'alerts:write', 'devices:read'], ['north']],
  ['Keycloak', 'keycloak-person', [...scopes], null],
  ['Keycloak', 'keycloak-machine', ['metrics:read'], null],
] as const;

test.each(recipes)(
  '%s: the token %s may do what the page says, and nothing else',
  async (heading, token, granted, groups) => {
    const { text } = await recipeOf(heading);
    expect(text).toContain(`test/docs/tokens/${token}.json`);
    const { call } = await played(heading, token);
    const { claims } = tokenOf(token);
    const me = await call('get', '/v1/me');
    expect([me.status, me.body]).toMatchObject([
      200,
      { subject: `user:${claims['sub']}`, scopes: granted, groups, missing: { groups: null } },
    ]);
    for (const [operation, route] of Object.entries(routes as Record<string, Route>)) {
      if (route.scope === null || route.media === 'text/event-stream' || route.body) continue;
      const { status, body } = await call(route.method, route.path.replaceAll(/\{\w+\}/g, 'x'));
      const mayCall = isOpenTo(route, new Set(granted)) && (groups === null || !isFleetWide(route));
      const code = mayCall ? undefined : expect.stringMatching(/^(forbidden|limited-to-groups)$/);
      const isRefused = status === 403 && ['forbidden', 'limited-to-groups', 'no-groups'].includes(body.code);
      expect([operation, isRefused]).toEqual([operation, !mayCall]);
      if (!mayCall) expect([operation, body.code]).toEqual([operation, code]);
    }
  },
);

test.each(recipes)('%s: the token %s without its groups is told what to do', async (heading, token) => {
  const { issuers } = await recipeOf(heading);
  const claim = issuers[0]?.groupsClaim ?? '';
  const without = token === 'entra-application' ? { roles: ['devices:read'] } : { [claim]: undefined };
  const { call } = await played(heading, token, without);
  const { status, body } = await call('get', '/v1/devices');
  expect([status, body.code]).toEqual([403, 'no-groups']);
  expect(body.detail).toContain(token === 'entra-application' ? '`group:ID`' : `\`${claim}\``);
});

test.each(['Entra ID, people', 'Entra ID, applications', 'Auth0', 'Keycloak'])(
  '%s: the recipe names every scope, and the console asks for exactly these',
  async (heading) => {
    const { text, consoleScopes } = await recipeOf(heading);
    const prefix = heading.startsWith('Entra') ? 'api://watchpost/' : '';
    expect(consoleScopes.filter((name) => name !== 'offline_access')).toEqual(scopes.map((scope) => prefix + scope));
    const [steps = ''] = text.split('```hcl');
    for (const scope of scopes) expect([scope, steps.includes(`\`${scope}\``)]).toEqual([scope, true]);
  },
);

test('an ID token, and a token of another tenant of the same product, are refused', async () => {
  const { issuers } = await recipeOf('Entra ID, people');
  const { header, claims } = tokenOf('entra-person');
  const now = Math.floor(Date.now() / 1000);
  const entries = issuers.map((entry) => ({ ...entry, issuer: issuer.url }));
  const authenticate = createAuthenticator(entries);
  const given = { ...claims, scope: undefined, iat: now, nbf: now, exp: now + 600 };
  const ofConsole = await issuer.token({ ...given, iss: issuer.url, aud: 'CLIENT_ID_OF_THE_CONSOLE' } as never, header);
  const ofOther = await issuer.token({ ...given, iss: `${issuer.url}/OTHER_TENANT/v2.0` } as never, header);
  for (const token of [ofConsole, ofOther]) {
    expect(decodeJwt(token).sub).toBe(claims['sub']);
    await expect(authenticate(`Bearer ${token}`)).rejects.toMatchObject({ code: 'unauthenticated' });
  }
});
