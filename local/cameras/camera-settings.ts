import { readGolden } from '../../device/guardian/golden/golden.ts';
import { writeParameters } from '../../device/guardian/vapix/vapix-mapping.ts';
import { serialOf } from './camera-state.ts';
import { type MqttSettings, withDefaults } from './device/mqtt-settings.ts';

/**
 * The required configuration of a simulated camera's MQTT client: it names the stack's own broker with the address that the camera uses.
 */
export function goldenOf(deviceId: string, brokerUrl: string) {
  const { protocol, hostname, port } = new URL(brokerUrl);
  const isTls = protocol === 'mqtts:';
  return {
    deviceId,
    generation: 1,
    configuration: {
      broker: { host: hostname, port: Number(port), protocol: isTls ? 'ssl' : 'tcp' },
      // Plain TCP has no certificate to check.
      ...(isTls ? { tls: { validateServerCert: true, caCertificate: 'watchpost-local', clientCertificate: '' } } : {}),
      clientId: deviceId,
      auth: { username: deviceId },
      topicPrefix: `axis/${serialOf(deviceId)}`,
      // The last will that the simulated camera registers has `connectedAt` and `reason` too.
      lastWill: { topic: `devices/${deviceId}/connection`, payload: '{"status":"offline"}' },
      client: { active: true, activateOnReboot: true },
      qos: 1,
      keepAlive: 30,
      connectTimeout: 60,
      cleanSession: true,
    },
  };
}

/** The same configuration as parameters of `configureClient`. */
export function goldenParameters(deviceId: string, brokerUrl: string): MqttSettings {
  const faults: string[] = [];
  const { configuration } = readGolden(goldenOf(deviceId, brokerUrl), deviceId, 'golden', faults);
  if (faults.length > 0) throw new Error(faults.join('; '));
  return writeParameters({ config: {} }, configuration, null, serialOf(deviceId));
}

/**
 * Whether a client with these settings connects to the stack's broker: its address and its account must be right. A
 * simulated camera never connects to another broker.
 */
export function leadsTo(brokerUrl: string, settings: MqttSettings, deviceId: string): boolean {
  const { server, ...golden } = withDefaults(goldenParameters(deviceId, brokerUrl), serialOf(deviceId));
  if (settings['username'] !== golden['username']) return false;
  return (['host', 'port', 'protocol'] as const).every(
    (member) => String(settings.server?.[member]).toLowerCase() === String(server?.[member]).toLowerCase(),
  );
}
