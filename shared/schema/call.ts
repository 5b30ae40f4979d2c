import type { Static, TSchema } from 'typebox';
import type { Operation, routes } from './routes.ts';

type RouteOf<Op extends Operation> = (typeof routes)[Op];
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** What a call of an operation carries: parameters of its path, query and body as their schemas have them. */
export type Call<Op extends Operation> = {
  params: Record<ParameterOf<RouteOf<Op>['path']>, string>;
  query: RouteOf<Op> extends { query: infer Schema extends TSchema } ? Static<Schema> : Record<string, never>;
  body: RouteOf<Op> extends { body: infer Schema extends TSchema } ? Static<Schema> : undefined;
};

/** What an operation answers; null: nothing. */
export type AnswerTo<Op extends Operation> = RouteOf<Op>['answer'] extends infer Schema extends TSchema
  ? Static<Schema>
  : null;

type MayBeLeftOut<Part> = Record<never, never> extends Part ? true : undefined extends Part ? true : false;

/** The same as a client writes it: what need not be said may be left out. */
export type CallOf<Op extends Operation> = {
  [Part in keyof Call<Op> as MayBeLeftOut<Call<Op>[Part]> extends true ? never : Part]: Call<Op>[Part];
} & { [Part in keyof Call<Op> as MayBeLeftOut<Call<Op>[Part]> extends true ? Part : never]?: Call<Op>[Part] };

/** The operation behind a method and a path. */
export type OperationAt<Method, Path> = {
  [Op in Operation]: RouteOf<Op> extends { method: Method; path: Path } ? Op : never;
}[Operation];

/** The paths that know a method, with their `{parameters}`. */
export type PathOf<Method> = {
  [Op in Operation]: RouteOf<Op> extends { method: Method } ? RouteOf<Op>['path'] : never;
}[Operation];
