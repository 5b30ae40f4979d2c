import { connectAsync } from 'mqtt';
import { type BridgeMessage, subscribedTopics, toBridgeMessage } from '../../../bridge/forward/message.ts';
import { defaultClientId } from '../../../bridge/settings.ts';
import { bridgeAccount } from '../../../local/brokers/accounts.ts';
import { passwordOf } from '../../../local/cloud/secrets.ts';

/** Subscribes at the local broker in the place of the bridge, also again after the broker was away. */
export async function listenAsBridge(
  port: number,
  accountsKey: string,
  hear: (message: BridgeMessage) => void,
): Promise<{ stop(): Promise<void> }> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
    clientId: defaultClientId,
    clean: false,
    username: bridgeAccount,
    password: passwordOf(accountsKey, bridgeAccount),
    reconnectPeriod: 50,
  });
  client.on('error', () => {});
  client.on('message', (topic, payload) => {
    const message = toBridgeMessage(topic, payload);
    if (message) hear(message);
  });
  await client.subscribeAsync([...subscribedTopics], { qos: 1 });
  return { stop: () => client.endAsync(true) };
}
