import type { Static, TSchema } from 'typebox';
import type { Operation, routes } from './routes.ts';

type RouteOf<Op extends Operation> = (typeof routes)[Op];
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** The values of a call of an operation: path parameters, query and body with the types of their schemas. */
export type Call<Op extends Operation> = {
  params: Record<ParameterOf<RouteOf<Op>['path']>, string>;
  query: RouteOf<Op> extends { query: infer Schema extends TSchema } ? Static<Schema> : Record<string, never>;
  body: RouteOf<Op> extends { body: infer Schema extends TSchema } ? Static<Schema> : undefined;
};

/** The answer of an operation. Null: empty. */
export type AnswerTo<Op extends Operation> = RouteOf<Op>['answer'] extends infer Schema extends TSchema
  ? Static<Schema>
  : null;

type MayBeLeftOut<Part> = Record<never, never> extends Part ? true : undefined extends Part ? true : false;

/**
 * The same values as a client writes them: `params`, `query` or `body` may be omitted where nothing in it is required.
 */
export type CallOf<Op extends Operation> = {
  [Part in keyof Call<Op> as MayBeLeftOut<Call<Op>[Part]> extends true ? never : Part]: Call<Op>[Part];
} & { [Part in keyof Call<Op> as MayBeLeftOut<Call<Op>[Part]> extends true ? Part : never]?: Call<Op>[Part] };

/** The operation of a method and a path. */
export type OperationAt<Method, Path> = {
  [Op in Operation]: RouteOf<Op> extends { method: Method; path: Path } ? Op : never;
}[Operation];

/** The paths that support a method, with their `{parameters}`. */
export type PathOf<Method> = {
  [Op in Operation]: RouteOf<Op> extends { method: Method } ? RouteOf<Op>['path'] : never;
}[Operation];
