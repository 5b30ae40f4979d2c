// What follows from `channelTable`. Like the vocabulary, this file needs no validator library.
import { type Channel, channels, channelTable, type PeopleChannelRow } from './vocabulary.ts';

/** Channels on which people are notified. */
export type PeopleChannel = {
  [C in Channel]: (typeof channelTable)[C] extends PeopleChannelRow ? C : never;
}[Channel];
export function isPeopleChannel(channel: DeliveryChannel): channel is PeopleChannel {
  return channel !== 'handoff' && 'form' in channelTable[channel];
}
export const peopleChannels = channels.filter(isPeopleChannel);
/** Channels whose addresses a team keeps as a plain list. */
export type AddressChannel = {
  [C in PeopleChannel]: (typeof channelTable)[C]['contacts'] extends null ? never : C;
}[PeopleChannel];
export const addressChannels = peopleChannels.filter(
  (channel): channel is AddressChannel => channelTable[channel].contacts !== null,
);
/** The members of a team that hold plain addresses. */
export type AddressMember = (typeof channelTable)[AddressChannel]['contacts']['member'];
/** A value for each member of a team that holds plain addresses. */
export function byAddressMember<T>(of: (channel: AddressChannel) => T): Record<AddressMember, T> {
  const entries = addressChannels.map((channel) => [channelTable[channel].contacts.member, of(channel)]);
  return Object.fromEntries(entries) as Record<AddressMember, T>;
}
/** Where deliveries go: the channels, and hand-offs to systems that page people and keep incidents by themselves. */
export const deliveryChannels = [...channels, 'handoff'] as const;
export type DeliveryChannel = (typeof deliveryChannels)[number];
