import { webhookSenderSettings } from '../../shared/adapters/channels/senders.ts';
import { frameSettings } from '../../shared/adapters/frames/frames.ts';
import { worldSettings } from '../../shared/adapters/world.ts';
import type { SettingName } from '../../shared/config.ts';

/** What this function reads from its environment; in the cloud it is given exactly these. */
export const settings = [
  ...worldSettings,
  ...frameSettings,
  ...webhookSenderSettings,
  'egressRanges',
  'webhookChallenge',
  'authIssuer',
  'authAudience',
  'authGroupsClaim',
  'authGroups',
  'authKeysUrl',
  'requestsPerMinute',
  'trustedProxies',
  'maxInstances',
  'corsOrigins',
  'pageTokenKey',
] as const satisfies SettingName[];
