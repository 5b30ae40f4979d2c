import { PubSub } from '@google-cloud/pubsub';

/** The official client, with a channel that reconnects to the emulator within a second. */
export function connectPubSub(projectId: string, host: string): PubSub {
  const channel = { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 1000 };
  return new PubSub({ projectId, apiEndpoint: host, emulatorMode: true, ...channel });
}
