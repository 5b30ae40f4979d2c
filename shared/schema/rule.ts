import Type, { type Static } from 'typebox';
import { Priority } from './alert.ts';
import { closed, GroupId, Line, OneOf } from './common.ts';

export const channels = ['email', 'chat', 'sms', 'webhook'] as const;
export const Channel = OneOf(channels);
export type Channel = Static<typeof Channel>;

/** An alert code, or the beginning of one with `*`, such as `CONN_*`. */
export const CodePattern = Type.String({
  pattern: '^(CONN|SEC|CFG|RES)_(00[1-4]|0{0,2}\\*)$|^(CONN|SEC|CFG|RES)?\\*$',
  examples: ['CONN_001', 'CONN_*'],
});

export const AlertRule = Type.Object(
  {
    name: Line(128),
    condition: Type.Object({ code: CodePattern, group: Type.Array(GroupId, { maxItems: 100 }) }, closed),
    action: Type.Object(
      {
        escalate_to: Type.Optional(Line(64)),
        notify: Type.Optional(Type.Array(Channel, { uniqueItems: true })),
        priority: Type.Optional(Priority),
        suppress: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
    enabled: Type.Optional(Type.Boolean({ default: true })),
  },
  closed,
);
export type AlertRule = Static<typeof AlertRule>;
