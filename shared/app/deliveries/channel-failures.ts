import { failuresOf } from '../../domain/delivery/channel-health.ts';
import { peopleChannels } from '../../schema/channels.ts';
import type { ChannelFailure } from '../../schema/fleet/channel-failure.ts';
import { type Bearer, contactsFor } from '../bearer.ts';
import type { World } from '../ports.ts';

/** The channels that do not get through to people now. A bearer who is limited to groups learns of the channels, not of their receivers. */
export async function failingChannels(
  { store, now }: Pick<World, 'store' | 'now'>,
  bearer: Bearer,
): Promise<ChannelFailure[]> {
  const stored = await store.get('channelHealth', peopleChannels);
  const failing = stored.flatMap((each) => {
    const failures = each && failuresOf(each.data, now());
    return failures ? [{ health: each.data, ...failures }] : [];
  });
  const isWhole = bearer.groups === null;
  const names = isWhole
    ? await namesOf(
        { store },
        failing.flatMap(({ receivers }) => receivers),
      )
    : null;
  return failing.flatMap(({ health, isFailing, receivers }): ChannelFailure[] => {
    if (!isFailing && !names) return [];
    const { channel, failingSince, lastFailedAt, detail } = health;
    const shown = contactsFor(bearer);
    return [
      {
        channel,
        failingSince: isFailing ? failingSince : null,
        lastFailedAt: isFailing ? lastFailedAt : null,
        detail: isFailing && names && detail !== null ? shown(detail) : null,
        receivers: receivers.flatMap(({ targetId, failingSince: since, isRefused }) => {
          const name = names?.get(targetId);
          return name === undefined ? [] : [{ name: shown(name), failingSince: since, isRefused }];
        }),
      },
    ];
  });
}

async function namesOf({ store }: Pick<World, 'store'>, receivers: readonly { targetId: string }[]) {
  const ids = receivers.map(({ targetId }) => targetId);
  const found = ids.length === 0 ? [] : await store.get('targets', ids);
  return new Map(found.flatMap((each) => (each ? [[each.id, each.data.targetName] as const] : [])));
}
