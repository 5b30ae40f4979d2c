import { frameSettings } from '../../shared/adapters/frames/frames.ts';
import { callerSettings } from '../../shared/adapters/http/private-edge.ts';
import { ledgerSettings } from '../../shared/adapters/ledger/log-objects.ts';
import { canarySettings } from '../../shared/adapters/sight/canary-senders.ts';
import { worldSettings } from '../../shared/adapters/world.ts';
import type { SettingName } from '../../shared/config.ts';

/** The settings that this function reads from its environment. In the cloud it gets exactly these. */
export const settings = [
  ...worldSettings,
  ...callerSettings,
  ...canarySettings,
  ...frameSettings,
  ...ledgerSettings,
  'drillTargets',
  'heartbeatUrls',
] as const satisfies SettingName[];
