import Type from 'typebox';
import { closed } from './common.ts';

/** One faulty member: a JSON Pointer into the body, or `?name` for a query parameter, and what is wrong with it. */
export const MemberFault = Type.Object({ pointer: Type.String(), detail: Type.String() }, closed);

/** RFC 9457 problem document. `code` is stable, and `errors` names each faulty member. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  detail: Type.Optional(Type.String()),
  instance: Type.Optional(Type.String()),
  code: Type.String(),
  requestId: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Array(MemberFault)),
});
