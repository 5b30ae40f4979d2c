import type { TSchema } from 'typebox';
import type { ErrorCode } from '../errors.ts';
import { fleetWideScopes, type Scope } from './vocabulary.ts';

/** One route of the API. */
export type Route = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path with `{parameters}`, as in OpenAPI. */
  path: string;
  /** null: no token is asked for. */
  scope: Scope | null;
  summary: string;
  /** What it changes holds for the bearer's groups alone, so that a token limited to groups may call it whatever its scope is about. */
  isOfGroups?: true;
  query?: TSchema;
  body?: TSchema;
  /** Largest body, bytes; 64 KiB where it is left out. */
  maxBodyBytes?: number;
  /** The body may come as a table too (`text/csv`): what its columns are called. */
  columns?: readonly string[];
  /** Shape of the answer; null: 204 without a body. */
  answer: TSchema | null;
  status?: 200 | 201 | 202 | 204;
  /** Media type of the answer where it is not JSON. */
  media?: 'text/event-stream';
  /** Codes of the refusals that are this route's own: those that a scope, a path parameter, a query or a body bring are known without. */
  refusals?: readonly ErrorCode[];
  /** The answer carries the version of the record as `ETag`; where `precondition-failed` is a refusal, `If-Match` insists on it. */
  isVersioned?: true;
};

/** Whether a route is about every group at once, so that it is not for a token limited to groups. */
export function isFleetWide({ scope, isOfGroups }: Pick<Route, 'scope' | 'isOfGroups'>): boolean {
  return scope !== null && fleetWideScopes.has(scope) && !isOfGroups;
}

/** The routes of one noun by their operation ids. */
export type Routes = Record<string, Route>;
