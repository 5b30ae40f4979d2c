import type { Service } from '../machine/http-server.ts';
import { documentedAccess } from './accounts.ts';
import { type SecureListener, startBroker } from './broker.ts';

export type MqttConfig = { port: number; secure: SecureListener | null; accountsKey: string };

/** The broker, with the access list of our example files. */
export async function startMqtt({ port, secure, accountsKey }: MqttConfig): Promise<Service> {
  const access = documentedAccess(accountsKey);
  const onRefused = (line: string) => console.error(`${new Date().toISOString()} refused: ${line}`);
  return startBroker({ port, secure, access, onRefused });
}
