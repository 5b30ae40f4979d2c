import { readGolden } from '../../device/guardian/golden/golden.ts';
import { writeParameters } from '../../device/guardian/vapix/vapix-mapping.ts';
import { serialOf } from './camera-state.ts';
import { type MqttSettings, withDefaults } from './device/mqtt-settings.ts';

/** How a simulated camera's MQTT client shall be configured: it names the stack's own broker, as the camera connects to it. */
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
      auth: { username: '' },
      topicPrefix: `axis/${serialOf(deviceId)}`,
      // The last will of the simulated camera says besides which connection was lost.
      lastWill: { topic: `devices/${deviceId}/connection`, payload: '{"status":"offline"}' },
      client: { active: true, activateOnReboot: true },
      qos: 1,
      keepAlive: 30,
      connectTimeout: 60,
      cleanSession: true,
    },
  };
}

/** The same as the parameters of `configureClient`. */
export function goldenParameters(deviceId: string, brokerUrl: string): MqttSettings {
  const faults: string[] = [];
  const { configuration } = readGolden(goldenOf(deviceId, brokerUrl), deviceId, 'golden', faults);
  if (faults.length > 0) throw new Error(faults.join('; '));
  return writeParameters({ config: {} }, configuration, null, serialOf(deviceId));
}

/** Whether a client with these settings comes to the broker. It is told of no other, so it connects to no other. */
export function leadsTo(brokerUrl: string, settings: MqttSettings, deviceId: string): boolean {
  const { server } = withDefaults(goldenParameters(deviceId, brokerUrl), serialOf(deviceId));
  return (['host', 'port', 'protocol'] as const).every(
    (member) => String(settings.server?.[member]).toLowerCase() === String(server?.[member]).toLowerCase(),
  );
}
