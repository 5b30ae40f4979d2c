import type { TSchema } from 'typebox';
import type { ErrorCode } from '../errors.ts';
import { fleetWideScopes, type Scope } from './scopes.ts';

/** One route of the API. */
export type Route = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path with `{parameters}`, as in OpenAPI. */
  path: string;
  /** `any-token`: any valid token opens it, also one without groups. Null: no token is needed. */
  scope: Scope | 'any-token' | null;
  /** A second scope that also opens the route. */
  orScope?: Scope;
  summary: string;
  /**
   * A change by this route affects only the bearer's groups, so a token limited to groups may call it even where its scope concerns the
   * whole fleet.
   */
  isOfGroups?: true;
  query?: TSchema;
  body?: TSchema;
  /** Largest body, bytes. 64 KiB by default. */
  maxBodyBytes?: number;
  /** The body may also be a table (`text/csv`) with these columns. */
  columns?: readonly string[];
  /** Schema of the answer. Null: 204 without a body. */
  answer: TSchema | null;
  status?: 200 | 201 | 202 | 204;
  /** Media type of the answer, where it is not JSON. */
  media?: 'text/event-stream' | 'text/plain' | 'text/plain; charset=utf-8' | 'application/octet-stream';
  /** The answer is also given in these media types, which `format` in the query asks for. */
  formats?: readonly ('text/csv' | 'application/pdf')[];
  /** Error codes in addition to those that follow from the scope, path parameters, query or body of the route. */
  refusals?: readonly ErrorCode[];
  /**
   * The answer has the version of the record as `ETag`. Where `precondition-failed` is one of the refusals, `If-Match` requires that
   * version.
   */
  isVersioned?: true;
  /** The answer changes only with a release: it has an `ETag`, and `If-None-Match` with this tag is answered with 304. */
  isOfRelease?: true;
};

/** Whether scopes open a route that needs one. */
export function isOpenTo({ scope, orScope }: Pick<Route, 'scope' | 'orScope'>, scopes: ReadonlySet<Scope>): boolean {
  if (scope === 'any-token') return true;
  return [scope, orScope].some((each) => each && scopes.has(each));
}

/** Whether a route concerns all groups together, so that a token limited to groups may not call it. */
export function isFleetWide({ scope, orScope, isOfGroups }: Pick<Route, 'scope' | 'orScope' | 'isOfGroups'>): boolean {
  if (scope === null || scope === 'any-token' || isOfGroups) return false;
  return fleetWideScopes.has(scope) && (orScope === undefined || fleetWideScopes.has(orScope));
}

/** The routes of one noun by their operation ids. */
export type Routes = Record<string, Route>;
