import Type, { type Static } from 'typebox';
import { closed, DeviceId, GroupId, Timestamp } from '../common.ts';

export const ProofQuery = Type.Object(
  {
    deviceId: DeviceId,
    groupId: Type.Optional({
      ...GroupId,
      description: 'The group in which the device was then. Default: its present one, or the last one of yours.',
    }),
    from: Timestamp,
    to: Timestamp,
    since: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Size of a checkpoint that you hold: the bundle then proves that its checkpoint continues yours.',
      }),
    ),
  },
  closed,
);
export type ProofQuery = Static<typeof ProofQuery>;

const base64 = { pattern: '^[A-Za-z0-9+/]+=*$', examples: ['6GOc6Xrgl1YSXZYKqcSwJFp2iJbHDKZ+UhBJqXzpMCs='] };
const Base64 = Type.String(base64);

/** What the ledger proves about one device. The verifiers in `verify/` check it without asking this service. */
export const ProofBundle = Type.Object(
  {
    version: Type.Literal(1),
    deviceId: DeviceId,
    from: Timestamp,
    to: Timestamp,
    isPending: Type.Boolean({
      description:
        'The time up to `to` is not recorded yet. What can be recorded of it is in the ledger two minutes later.',
    }),
    recordedTo: Timestamp,
    checkpoint: Type.String({
      description: 'A signed note (C2SP tlog-checkpoint): it commits to all leaves of the ledger.',
      examples: [
        'watchpost.example.com/ledger\n1\n6GOc6Xrgl1YSXZYKqcSwJFp2iJbHDKZ+UhBJqXzpMCs=\ntime 2026-11-20T10:00:00.000Z\n',
      ],
    }),
    entries: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ minimum: 0 }),
          key: Base64,
          body: Type.String({
            description: 'The leaf is the HMAC-SHA256 of exactly these bytes with `key`.',
            examples: ['{"v":1}'],
          }),
        },
        closed,
      ),
    ),
    nodes: Type.Record(Type.String({ pattern: '^\\d+-\\d+$' }), Base64, {
      description: 'Hashes of subtrees (RFC 6962), by their first leaf and number of leaves: `512-256`.',
    }),
  },
  closed,
);
export type ProofBundle = Static<typeof ProofBundle>;
