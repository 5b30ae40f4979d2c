import { readSettings, type Settings } from '../../../bridge/settings.ts';

/** Settings of a bridge on this machine, at free ports. */
export function bridgeSettings(mqttUrl: string, env: Record<string, string> = {}): Settings {
  return readSettings({
    MQTT_URL: mqttUrl,
    MQTT_VERSION: '3.1.1',
    GOOGLE_CLOUD_PROJECT: 'bridge-test',
    PORT: '0',
    ...env,
  });
}
