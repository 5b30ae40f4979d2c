import { createChatSender } from '../../../shared/adapters/channels/chat/chat-sender.ts';
import { createSmsSender } from '../../../shared/adapters/channels/sms/sms-sender.ts';
import { createWebhookSender } from '../../../shared/adapters/channels/webhook/webhook-sender.ts';
import type { OutboundRequest } from '../../../shared/adapters/outbound/client.ts';
import { chatKinds } from '../../../shared/schema/vocabulary.ts';
import { createReceivers, draftOf, senderTo } from '../handoff/receivers.ts';
import { giveTeam } from '../records/alerts.ts';
import { giveWebhook } from '../records/deliveries.ts';
import { box } from '../world/secret-box.ts';
import type { TestWorld } from '../world/world.ts';
import { createPost } from './post.ts';

/** The phone of the team. */
export const phone = '+46701234567';

/** A team with an address of every channel and an endpoint for everything, and all that the real senders send to them. */
export async function createOutbox(world: TestWorld) {
  const chats = chatKinds.map((kind) => ({ kind, url: `https://${kind}.chat.test/hook` }));
  const handoffs = Object.values(draftOf);
  await giveTeam(world, 'operations', { emails: ['ops@watchpost.test'], phones: [phone], chats, handoffs });
  await giveWebhook(world, { url: 'https://hooks.test/' });
  const requests: OutboundRequest[] = [];
  const receivers = createReceivers(() => Date.parse(world.now()));
  const client = {
    async send(request: OutboundRequest) {
      requests.push(request);
      return { statusCode: 200, excerpt: '1', failure: null, retryAfter: undefined };
    },
  };
  const parts = { store: world.store, box, client, now: world.now, drill: null };
  const sms = { url: 'https://sms.test', account: 'AC1', token: 't', from: '+1', client, now: world.now };
  const post = createPost(world, undefined, {
    senders: {
      chat: createChatSender(parts),
      sms: createSmsSender(sms),
      webhook: createWebhookSender(parts),
      handoff: senderTo(world.store, world.now, async (request) => receivers.take(request)),
    },
  });
  return { post, mails: post.sent, requests, handedOver: receivers.requests };
}
