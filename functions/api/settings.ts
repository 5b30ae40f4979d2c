import { webhookSenderSettings } from '../../shared/adapters/channels/senders.ts';
import { frameSettings } from '../../shared/adapters/frames/frames.ts';
import { logSettings } from '../../shared/adapters/ledger/log-objects.ts';
import { worldSettings } from '../../shared/adapters/world.ts';
import type { SettingName } from '../../shared/config.ts';

/** The settings that this function reads from its environment. In the cloud it gets exactly these. */
export const settings = [
  ...worldSettings,
  ...frameSettings,
  ...logSettings,
  ...webhookSenderSettings,
  'egressRanges',
  'webhookChallenge',
  'authIssuers',
  'requestsPerMinute',
  'trustedProxies',
  'maxInstances',
  'readOnly',
  'corsOrigins',
  'pageTokenKeys',
  'metricsToken',
] as const satisfies SettingName[];
