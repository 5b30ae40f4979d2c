import { senderSettings } from '../../shared/adapters/channels/senders.ts';
import { callerSettings } from '../../shared/adapters/http/private-edge.ts';
import { egressCheckSettings } from '../../shared/adapters/outbound/egress-check.ts';
import { worldSettings } from '../../shared/adapters/world.ts';
import type { SettingName } from '../../shared/config.ts';

/** The settings that this function reads from its environment. In the cloud it gets exactly these. */
export const settings = [
  ...worldSettings,
  ...callerSettings,
  ...senderSettings,
  ...egressCheckSettings,
] as const satisfies SettingName[];
