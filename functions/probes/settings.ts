import type { SettingName } from '../../shared/config.ts';

/** The settings that this function reads from its environment. In the cloud it gets exactly these. */
export const settings = [
  'version',
  'projectId',
  'store',
  'firestoreDatabase',
  'firestoreEmulator',
  'mqttUrl',
  'framesBucket',
  'storageEndpoint',
  'authIssuers',
] as const satisfies SettingName[];
