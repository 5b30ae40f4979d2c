import type { SettingName } from '../../shared/config.ts';

/** What this function reads from its environment; in the cloud it is given exactly these. */
export const settings = [
  'version',
  'projectId',
  'store',
  'firestoreDatabase',
  'firestoreEmulator',
  'mqttUrl',
  'framesBucket',
  'storageEndpoint',
  'authIssuer',
  'authKeysUrl',
] as const satisfies SettingName[];
