import type { Topic } from '@google-cloud/pubsub';
import type { CanarySender } from '../../app/ports.ts';
import type { Canaries } from '../../app/sight/send-canaries.ts';
import type { Config, SettingName } from '../../config.ts';
import { canaryAttribute } from '../../domain/sight/canary.ts';
import { publishOnce } from '../mqtt/connect.ts';
import { createCanarySeal } from './canary-seal.ts';

export const canarySettings = [
  'messagesTopic',
  'pubsubEmulator',
  'mqttUrl',
  'pageTokenKeys',
] as const satisfies SettingName[];

type CanaryConfig = Config<(typeof canarySettings)[number] | 'projectId'>;

/** Longest time that a canary may delay the sweep, milliseconds. */
const sendLimitMs = 10_000;

/** Sends canaries on each path that the settings configure. Client libraries are loaded with the first canary. */
export function createCanaries(config: CanaryConfig): Canaries {
  const { mqttUrl, messagesTopic, pageTokenKeys } = config;
  return {
    seal: createCanarySeal(...pageTokenKeys),
    senders: {
      ...(messagesTopic ? { ingest: createTopicSender(config, messagesTopic) } : {}),
      broker: createBrokerSender(mqttUrl),
    },
  };
}

function createTopicSender({ projectId, pubsubEmulator }: CanaryConfig, name: string): CanarySender {
  let topic: Promise<Topic> | null = null;
  const connect = async () => {
    const { PubSub } = await import('@google-cloud/pubsub');
    const emulator = pubsubEmulator ? { apiEndpoint: pubsubEmulator, emulatorMode: true } : {};
    // Only one attempt: a canary that is sent again later would carry the wrong time.
    const gaxOpts = { timeout: sendLimitMs, retry: null };
    return new PubSub({ projectId, ...emulator }).topic(name, {
      messageOrdering: true,
      batching: { maxMessages: 1 },
      gaxOpts,
    });
  };
  return {
    async send({ n }, body) {
      topic ??= connect();
      const to = await topic;
      const orderingKey = `canary-${n}`;
      try {
        await to.publishMessage({ data: Buffer.from(body), attributes: { [canaryAttribute]: 'ingest' }, orderingKey });
      } catch (error) {
        // After a failure the client refuses messages with this ordering key until it is resumed.
        to.resumePublishing(orderingKey);
        throw error;
      }
    },
  };
}

function createBrokerSender(url: string): CanarySender {
  return {
    send: (_canary, body) => publishOnce(url, 'watchpost/canary', body, AbortSignal.timeout(sendLimitMs)),
  };
}
