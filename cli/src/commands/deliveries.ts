import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import { deliveryChannels } from '../../../shared/schema/channels.ts';
import { deliveryStatuses } from '../../../shared/schema/vocabulary.ts';
import type { Command } from '../command.ts';
import type { Column } from '../output.ts';
import { acting, listing, showing } from './records.ts';

const columns: Column<Schemas['DeliverySummary']>[] = [
  ['deliveryId', ({ deliveryId }) => deliveryId],
  ['channel', ({ channel }) => channel],
  ['target', ({ target }) => target],
  ['event', ({ eventType }) => eventType],
  ['status', ({ status }) => status],
  ['attempts', ({ attemptCount, maxAttempts }) => `${attemptCount}/${maxAttempts}`, 'spare'],
  ['createdAt', ({ createdAt }) => createdAt],
];
const id = 'deliveryId';

export const deliveryCommands: readonly Command[] = [
  listing('listDeliveries', {
    name: 'deliveries list',
    about: 'lists messages to people and endpoints: sent, pending and failed',
    flags: {
      status: { about: 'in these states', value: 'S', isMany: true, oneOf: deliveryStatuses, member: 'status' },
      channel: { about: 'on this channel', value: 'C', oneOf: deliveryChannels, member: 'channel' },
      webhook: { about: 'to this endpoint', value: 'ID', member: 'webhookId' },
    },
    columns,
  }),
  showing('getDelivery', 'deliveries show', id, 'shows one delivery with its attempts'),
  acting('redeliver', {
    name: 'deliveries redeliver',
    about: 'sends failed or held ones again',
    id,
    body: () => ({}),
    columns,
  }),
  acting('dismissDelivery', {
    name: 'deliveries dismiss',
    about: 'dismisses failed or held ones',
    id,
    body: () => ({}),
    columns,
  }),
  listing('listAudit', {
    name: 'audit list',
    about: 'lists who changed what and who was refused, newest first',
    columns: [
      ['at', ({ at }) => at],
      ['subject', ({ subject }) => subject],
      ['action', ({ action }) => action],
      ['resource', ({ resource }) => resource && `${resource.kind}:${resource.id}`],
      ['outcome', ({ outcome }) => outcome],
      ['reason', ({ reason }) => reason],
    ],
  }),
];
