import type { components, operations } from './generated/api.ts';
import type { operationTable } from './generated/operations.ts';

/** The named schemas of the API description, for example `Schemas['Alert']`. */
export type Schemas = components['schemas'];

/** The operations of the API, by `operationId`. */
export type Operation = keyof typeof operationTable;

type Parameters<Op extends Operation> = operations[Op] extends { parameters: infer Given } ? Given : object;
type Part<Op extends Operation, In extends string> = In extends keyof Parameters<Op> ? Parameters<Op>[In] : never;
type Json<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : never;
type Request<Op extends Operation> = operations[Op] extends { requestBody?: infer Sent } ? Sent : never;

/** A member that exists only if the operation has it, and is optional only if the API says so. */
type Member<Name extends string, Value> = [Value] extends [never]
  ? unknown
  : undefined extends Value
    ? { [Key in Name]?: Exclude<Value, undefined> }
    : { [Key in Name]: Value };

/** Options of every call. */
export type CallOptions = {
  /** The `etag` of an earlier answer. If the record has changed since, the call is refused with `precondition-failed`. */
  ifMatch?: string;
  signal?: AbortSignal;
};

/** The inputs of an operation: path parameters, query and body. */
export type CallOf<Op extends Operation> = Member<'params', Part<Op, 'path'>> &
  Member<'query', Part<Op, 'query'>> &
  Member<'body', BodyOf<Op>> &
  (Op extends 'importDevices' ? { csv?: string } : unknown) &
  CallOptions;

type BodyOf<Op extends Operation> = Op extends 'importDevices'
  ? Json<Request<Op>> | undefined
  : operations[Op] extends { requestBody: unknown }
    ? Json<Request<Op>>
    : Json<Exclude<Request<Op>, undefined>> | NothingOr<Request<Op>>;
type NothingOr<Sent> = [Sent] extends [never] ? never : undefined;

type Responses<Op extends Operation> = operations[Op]['responses'];

/** The answer of an operation. Null: it is empty. */
export type AnswerTo<Op extends Operation> = 204 extends keyof Responses<Op>
  ? null
  : Json<Responses<Op>[keyof Responses<Op> & (200 | 201 | 202)]>;

/** Operations whose answer is a page of a list, and the member that holds its items. */
export type ListOperation = {
  [Op in Operation]: (typeof operationTable)[Op] extends { list: string } ? Op : never;
}[Operation];
type ListMember<Op extends ListOperation> = (typeof operationTable)[Op] extends { list: infer Name extends string }
  ? Name
  : never;

/** The type of a list's items. */
export type ItemOf<Op extends ListOperation> =
  AnswerTo<Op> extends { [Name in ListMember<Op>]: (infer Item)[] } ? Item : never;
