import Type, { type Static } from 'typebox';
import { Alert } from '../alert/alert.ts';
import { closed, Nullable, Timestamp } from '../common.ts';
import { Counts } from './counts.ts';

export const Fleet = Type.Object(
  {
    devices: Type.Object(
      {
        total: Type.Integer({ minimum: 0 }),
        online: Type.Integer({ minimum: 0 }),
        offline: Type.Integer({ minimum: 0 }),
        onlinePercent: Nullable(
          Type.Number({ minimum: 0, maximum: 100, description: 'One decimal, rounded down; null for an empty fleet.' }),
        ),
      },
      closed,
    ),
    alerts: Type.Object({ open: Counts, last24h: Counts }, closed),
    recentAlerts: Type.Array(Alert, { maxItems: 20 }),
    generatedAt: Timestamp,
  },
  closed,
);
export type Fleet = Static<typeof Fleet>;
