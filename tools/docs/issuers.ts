import { scopes } from '../../shared/schema/scopes.ts';
import { scopeWords } from '../openapi/words.ts';

/** How an issuer names a scope where the console asks for it. */
type NameOf = (scope: string) => string;

const plain: NameOf = (scope) => scope;
const entra: NameOf = (scope) => `api://watchpost/${scope}`;

/** The scopes that the console asks for, one on each line, as Terraform reads them. */
function consoleScopes(nameOf: NameOf, before: readonly string[] = []): string {
  return [...before, ...scopes.map(nameOf)].map((name) => `    "${name}",`).join('\n');
}

const listed = scopes.map((scope) => `\`${scope}\``).join(', ');
const rows = scopes.map((scope) => `| \`${scope}\` | ${scopeWords[scope]} |`).join('\n');

const general = `# Issuers

Any OpenID issuer works that signs access tokens as JWT (RS256, ES256 or similar) and publishes its keys. Up to four are accepted; people sign in to the
console at the one with \`sign_in\`. The entry of a token is chosen by its \`iss\`, and then only that entry's keys, audience and claims count. Generated
from the scopes of the API; \`test/docs/issuers.test.ts\` plays each recipe with a token as the product makes it.

| member of \`auth.issuers\` | meaning |
|---|---|
| \`name\` | what stands before the subjects of machines in audit and trails: \`<name>:<sub>\`. People at the issuer with \`sign_in\` are \`user:<sub>\` |
| \`issuer\` | exactly the \`iss\` of its tokens, including a final slash |
| \`audience\` | what \`aud\` must name, another in each environment |
| \`keys_url\` | its key set, where it publishes no description |
| \`scope_claim\` | the claim of the scopes; by default \`scope\`, or \`scp\` where there is none: text with spaces, or a list |
| \`groups_claim\` | the claim of the groups of cameras that the bearer sees; by default \`groups\`: a list of at most 100 names |
| \`all_groups\` | the element of that claim that means every group; by default \`*\`, which has no meaning where another is set |
| \`roles\` | whether an application of Entra ID has its rights in \`roles\` |
| \`sign_in\` | whether people sign in here: exactly one |

**A token without the claim of groups, or with an empty one, opens nothing**: 403 \`no-groups\` (\`docs/problems/no-groups.md\`). \`GET /v1/me\` with a token shows its
subject, scopes and groups, and what is missing. A token that omits the groups because there are too many (\`_claim_names\`) is refused. A token has at
most 8 KB, and names \`exp\` and \`sub\`. The console is a public client: authorization code with PKCE, redirect address \`BASE_URL/\`. It asks for
\`openid profile\` and exactly \`auth.console_scopes\`; where the issuer refuses them (\`invalid_scope\`), for those that its description lists.

| scope | it allows to |
|---|---|
${rows}

`;

const entraPeople = `## Entra ID, people

1. *App registrations*, new, for the API. *Expose an API*: the application id URI \`api://watchpost\`, and one scope for each of ${listed}. In
   the manifest \`requestedAccessTokenVersion\` is \`2\`.
2. *Token configuration*, *Add groups claim*: **Groups assigned to the application**, for the access token. The claim contains object ids: name the
   groups of cameras by them, or give the manifest's optional claim \`groups\` the additional property \`cloud_displayname\`. Assign only groups of cameras:
   with more than 200 groups Entra omits them. \`all_groups\` is the object id of the group whose members see every camera.
3. Another registration for the console: platform *Single-page application*, redirect \`BASE_URL/\`, and the scopes as its permissions.
4. *Enterprise applications*, the API: assign people and groups.

\`\`\`hcl
auth = {
  issuers = [{
    name       = "people"
    issuer     = "https://login.microsoftonline.com/TENANT_ID/v2.0"
    audience   = "CLIENT_ID_OF_THE_API"
    all_groups = "8d5f0a3e-5a4b-4b7e-9a53-0d1f6c1f2b77"
    sign_in    = true
  }]
  client_id = "CLIENT_ID_OF_THE_CONSOLE"
  console_scopes = [
${consoleScopes(entra, ['offline_access'])}
  ]
}
\`\`\`

The token of a member of two groups who consented to everything has every scope and sees these two groups (\`test/docs/tokens/entra-person.json\`).

`;

const entraApplications = `## Entra ID, applications

A machine's token (client credentials) has its rights in \`roles\`, and no scopes. They count only in a token that says \`idtyp: "app"\`: neither the roles of
a person nor an ID token open anything.

1. *App registrations*, the API of the recipe above: *App roles*, allowed member types *Applications*: one for each scope that machines need, with the
   scope as its value (${listed}); one for each group of cameras, with the value \`group:\` and the group; one with the value \`all-groups\`.
2. *Token configuration*, *Add optional claim*, *Access*: \`idtyp\`, without the additional property \`include_user_token\`.
3. The registration of the machine: *API permissions*, *Application permissions* of the API, and an administrator's consent.

\`\`\`hcl
auth = {
  issuers = [{
    name       = "machines"
    issuer     = "https://login.microsoftonline.com/TENANT_ID/v2.0"
    audience   = "CLIENT_ID_OF_THE_API"
    all_groups = "all-groups"
    roles      = true
    sign_in    = true
  }]
  client_id = "CLIENT_ID_OF_THE_CONSOLE"
  console_scopes = [
${consoleScopes(entra, ['offline_access'])}
  ]
}
\`\`\`

People and machines of one tenant have one \`iss\`, so they share an entry, and the subjects of both are \`user:<sub>\`: \`all_groups\` is then the role's value,
and a person sees every camera by a group that is displayed as \`all-groups\`. The token of a machine with the roles \`devices:read\`, \`alerts:read\` and \`group:north\` has these scopes and sees this group
(\`test/docs/tokens/entra-application.json\`).

`;

const auth0 = `## Auth0

1. *Applications*, *APIs*, new: the identifier is the audience, such as \`https://watch.example.com/\`. Under *Permissions* the scopes ${listed};
   under *Settings* switch *RBAC* on, so that \`scope\` holds only what a person may.
2. **\`groups\` is a reserved name that Auth0 drops silently**: use another name, and set it in \`groups_claim\`. An Action of the login flow:

   \`\`\`js
   exports.onExecutePostLogin = async (event, api) => {
     api.accessToken.setCustomClaim('https://watch.example.com/groups', event.user.app_metadata.groups ?? []);
   };
   \`\`\`

3. *Applications*, new, *Single Page*: callback, logout and web origin are \`BASE_URL/\`.

\`\`\`hcl
auth = {
  issuers = [{
    name         = "people"
    issuer       = "https://TENANT.eu.auth0.com/"
    audience     = "https://watch.example.com/"
    groups_claim = "https://watch.example.com/groups"
    sign_in      = true
  }]
  client_id = "CLIENT_ID_OF_THE_CONSOLE"
  console_scopes = [
${consoleScopes(plain)}
  ]
}
\`\`\`

The token of an operator of one group has what their role allows, here \`alerts:read\`, \`alerts:write\` and \`devices:read\` (\`test/docs/tokens/auth0-person.json\`).

`;

const keycloak = `## Keycloak

1. *Client scopes*: one for each of ${listed}, type *None*, *Include in token scope* on. **Keycloak refuses a sign-in that asks for a scope that it
   does not know.** One more, \`watchpost\`, with two mappers: *Audience* (included custom audience \`watchpost\`, added to the access token) and
   *Group Membership* (claim \`groups\`, **full group path off**: else the group is \`/north\`).
2. *Clients*, \`watchpost-console\`: client authentication off, standard flow, PKCE method \`S256\`, redirect \`BASE_URL/*\`, web origin \`BASE_URL\`. Its default
   scopes: \`watchpost\`; optional: the others.
3. *Groups*: one for each group of cameras; \`all_groups\` is the name of the one whose members see every camera.
4. For a machine: a client with client authentication and a service account, with the scopes that it needs as default ones. Its service account joins
   the groups that it may see.

\`\`\`hcl
auth = {
  issuers = [{
    name       = "people"
    issuer     = "https://id.example.com/realms/REALM"
    audience   = "watchpost"
    all_groups = "all-cameras"
    sign_in    = true
  }]
  console_scopes = [
${consoleScopes(plain)}
  ]
}
\`\`\`

The token of an administrator has every scope and sees every group (\`test/docs/tokens/keycloak-person.json\`); that of a monitoring system reads metrics
of every group and nothing else (\`test/docs/tokens/keycloak-machine.json\`).
`;

/** The page of issuers. Each recipe names every scope of the API, so that none is forgotten when one is added. */
export function issuersPage(): string {
  return [general, entraPeople, entraApplications, auth0, keycloak].join('');
}
