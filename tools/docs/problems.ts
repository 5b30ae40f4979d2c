import { type ErrorCode, errorTable } from '../../shared/errors.ts';
import type { Route, Routes } from '../../shared/schema/route.ts';
import { routes } from '../../shared/schema/routes.ts';
import { codesOf } from '../openapi/refusals.ts';

/** Of each code: when it comes, and what to do. */
const words: Record<ErrorCode, { when: string; todo: string }> = {
  'invalid-request': {
    when: 'A parameter, the query or the body does not fit the description of the API, or holds a member twice.',
    todo: 'Read `errors`: each names a member by a JSON Pointer (or `?name` for a query parameter) and says what it must be. The same request never succeeds.',
  },
  unauthenticated: {
    when: 'The request has no bearer token, or one that is expired, signed by somebody else or made for another audience.',
    todo: 'Get a new token of the issuer and try again. `WWW-Authenticate` says what was wrong with the token.',
  },
  forbidden: {
    when: 'The token is valid and lacks the scope of this route, which `WWW-Authenticate` names; or a web page of another origin called `/mcp`.',
    todo: 'Ask for a token with that scope. Trying again changes nothing.',
  },
  'limited-to-groups': {
    when: 'The token is limited to groups of devices, and the request concerns the whole fleet or other groups.',
    todo: 'Use a token for all groups (`*` in the groups claim), or ask somebody who has one.',
  },
  'not-found': {
    when: 'There is no such path or record, or the record belongs to groups that the token does not include. No caller can tell the two apart.',
    todo: 'Look at the id, and at the groups of the token.',
  },
  'method-not-allowed': {
    when: 'The path exists and does not answer this method.',
    todo: 'Use one that `Allow` names.',
  },
  'request-timeout': {
    when: 'The body did not arrive in time.',
    todo: 'Send it again over a better connection, or in smaller parts.',
  },
  'invalid-transition': {
    when: 'The record is in a state that refuses the action, such as acknowledging what is resolved.',
    todo: 'Read the record again. An alert or incident says with the refusal which actions it has (`availableActions`).',
  },
  'already-exists': { when: 'A record with this identity is there.', todo: 'Change that one, or choose another name.' },
  'quota-exceeded': {
    when: 'A group has as many endpoints, rules or maintenance windows as it may have.',
    todo: 'Delete what nobody needs any more.',
  },
  'link-used': {
    when: 'The link of a message has acknowledged before; it works once.',
    todo: 'Open the alert in the console.',
  },
  'link-expired': { when: 'The link of a message is too old.', todo: 'Open the alert in the console.' },
  'precondition-failed': {
    when: 'Somebody has changed the record since the version that `If-Match` names.',
    todo: 'Read it again, look at what has changed, and send the change with the new `ETag`.',
  },
  'payload-too-large': {
    when: 'The body is longer than the route takes.',
    todo: 'Send less at once. `detail` names the limit.',
  },
  'unsupported-media-type': {
    when: 'The body is not JSON, or has a content encoding.',
    todo: 'Send it as `application/json`, without an encoding.',
  },
  'too-many-requests': {
    when: 'The subject of the token, or whoever opens a link, has asked too often.',
    todo: 'Wait the seconds of `Retry-After`. Nothing was done.',
  },
  internal: {
    when: 'The service failed. It is our fault, and it is logged.',
    todo: 'Give `requestId` to whoever runs the service. A read can be tried again; look first whether a change was made.',
  },
  unavailable: {
    when: 'A part that the service needs does not answer at the moment.',
    todo: 'Try again, after `Retry-After` where it is given. `GET /ready` says which part it is.',
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
      ? 'No route of the API gives it by itself.'
      : able.length > all.length / 2
        ? 'Most routes can give it.'
        : `These routes can give it: ${able.map(({ method, path }) => `\`${method.toUpperCase()} ${path}\``).join(', ')}.`;
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
