import { type ErrorCode, errorTable } from '../../shared/errors.ts';
import type { Route, Routes } from '../../shared/schema/route.ts';
import { routes } from '../../shared/schema/routes.ts';
import { codesOf } from '../openapi/refusals.ts';

/** When each code occurs, and what to do. */
const words: Record<ErrorCode, { when: string; todo: string }> = {
  'invalid-request': {
    when: 'A parameter, the query or the body does not match the API description, or contains a member twice.',
    todo: 'Read `errors`: each names a member by a JSON Pointer (or `?name` for a query parameter) and says what is required. Repeating the same request never succeeds.',
  },
  unauthenticated: {
    when: 'The request has no bearer token, or its token has expired, has an invalid signature or is for another audience.',
    todo: 'Get a new token from the issuer and try again. `WWW-Authenticate` says what is wrong with the token.',
  },
  forbidden: {
    when: 'The token is valid, but lacks the scope of this route, which `WWW-Authenticate` names; or a web page of another origin called `/mcp`.',
    todo: 'Ask for a token with that scope. Trying again changes nothing.',
  },
  'no-groups': {
    when: 'The token is valid, but its claim of groups is missing, or empty, or names nothing that can be a group of devices. A token without groups sees nothing.',
    todo: 'Have the issuer add the claim: the names of the groups that the bearer may see, or the element that means all of them. `detail` names the claim, and `docs/issuers.md` has a recipe for each issuer. `GET /v1/me` shows what the service reads in the token.',
  },
  'limited-to-groups': {
    when: 'The token is limited to groups of devices, and the request concerns the whole fleet or other groups.',
    todo: 'Use a token for all groups (`*` in the groups claim), or ask somebody who has one.',
  },
  'not-found': {
    when: 'There is no such path or record, or the record belongs to groups that the token does not include. Callers cannot distinguish the two cases.',
    todo: 'Check the id, and the groups of the token.',
  },
  'method-not-allowed': {
    when: 'The path exists, but does not support this method.',
    todo: 'Use a method from the header `Allow`.',
  },
  'request-timeout': {
    when: 'The body did not arrive in time.',
    todo: 'Send it again over a better connection, or in smaller parts.',
  },
  'invalid-transition': {
    when: 'The state of the record does not allow the action, for example acknowledging a resolved alert.',
    todo: 'Read the record again. The error of an alert or incident lists the possible actions (`availableActions`).',
  },
  'in-use': {
    when: 'Other records name the one that you want to remove, and would name nothing. `usedBy` lists each: kind, id, name and member.',
    todo: 'Change these records first: let each name another one.',
  },
  'already-exists': {
    when: 'A record with this identity already exists.',
    todo: 'Change the existing one, or choose another name.',
  },
  'quota-exceeded': {
    when: 'A group already has the maximum number of endpoints, rules, maintenance windows or reports by mail. The groups of a token in which there is no device count as one.',
    todo: 'Delete records that nobody needs any more.',
  },
  'link-used': {
    when: 'The link of a message has already been used; it works once.',
    todo: 'Open the alert in the console.',
  },
  'cursor-expired': {
    when: 'The cursor of the event feed is older than 30 days, and the events after it have expired.',
    todo: 'Continue with the cursor in `oldest`, and use the lists to find what happened in between.',
  },
  'link-expired': { when: 'The link of a message has expired.', todo: 'Open the alert in the console.' },
  'precondition-failed': {
    when: 'Somebody has changed the record since the version in `If-Match`.',
    todo: 'Read the record again, check what has changed, and send your change with the new `ETag`.',
  },
  'payload-too-large': {
    when: 'The body is longer than the route allows.',
    todo: 'Send less in one request. `detail` names the limit.',
  },
  'unsupported-media-type': {
    when: 'The body is not JSON, or has a content encoding.',
    todo: 'Send it as `application/json`, without an encoding.',
  },
  'too-many-requests': {
    when: 'The subject of the token, or the visitor of a link, has sent too many requests.',
    todo: 'Wait for the seconds in `Retry-After`, then repeat the request. Nothing was changed.',
  },
  internal: {
    when: 'The service failed. The fault is logged.',
    todo: 'Report the `requestId` to the operators of the service. Reads can be repeated; before you repeat a change, check whether it was made.',
  },
  unavailable: {
    when: 'A dependency of the service, such as its database, does not answer at the moment. The request is answered within 5 seconds.',
    todo: 'Try again after the seconds in `Retry-After`. A change may have been made although its answer was lost: read the record before you repeat it. `GET /ready` shows which dependency fails.',
  },
};

/** The pages that the `type` of problem documents points to, by file. */
export function problemPages(): Record<string, string> {
  const codes = Object.keys(errorTable) as ErrorCode[];
  const rows = codes.map(
    (code) => `| [\`${code}\`](${code}.md) | ${errorTable[code].status} | ${errorTable[code].title} |`,
  );
  const index = [
    '# Problems',
    'Generated from `shared/errors.ts`. Every refusal of the API is a problem document (RFC 9457). Its `code` is stable, and its `type` is the address of a page here.',
    ['| code | status | title |', '|---|---|---|', ...rows].join('\n'),
  ];
  return {
    'docs/problems/index.md': `${index.join('\n\n')}\n`,
    ...Object.fromEntries(codes.map((code) => [`docs/problems/${code}.md`, pageOf(code)])),
  };
}

function pageOf(code: ErrorCode): string {
  const { status, title } = errorTable[code];
  const all = Object.values(routes as Routes) as Route[];
  const able = all.filter((route) => codesOf(route).includes(code));
  const where =
    able.length === 0
      ? 'No route of the API documents it.'
      : able.length > all.length / 2
        ? 'Most routes can return it.'
        : `These routes can return it: ${able.map(({ method, path }) => `\`${method.toUpperCase()} ${path}\``).join(', ')}.`;
  const parts = [
    `# ${code}`,
    `**${status}: ${title}.**`,
    words[code].when,
    `## What to do\n\n${words[code].todo}`,
    `## Where\n\n${where}`,
    '[All problems](index.md)',
  ];
  return `${parts.join('\n\n')}\n`;
}
