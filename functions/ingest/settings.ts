import { frameSettings } from '../../shared/adapters/frames/frames.ts';
import { callerSettings } from '../../shared/adapters/http/private-edge.ts';
import { worldSettings } from '../../shared/adapters/world.ts';
import type { SettingName } from '../../shared/config.ts';

/** The settings that this function reads from its environment. In the cloud it gets exactly these. */
export const settings = [
  ...worldSettings,
  ...callerSettings,
  ...frameSettings,
  'logLevel',
  'bridgeDialect',
  'autoRegister',
  'pageTokenKeys',
  'drillTargets',
] as const satisfies SettingName[];
