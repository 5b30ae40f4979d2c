import { frameSettings } from '../../shared/adapters/frames/frames.ts';
import { callerSettings } from '../../shared/adapters/http/private-edge.ts';
import { worldSettings } from '../../shared/adapters/world.ts';
import type { SettingName } from '../../shared/config.ts';

/** What this function reads from its environment; in the cloud it is given exactly these. */
export const settings = [
  ...worldSettings,
  ...callerSettings,
  ...frameSettings,
  'bridgeDialect',
  'autoRegister',
  'pageTokenKey',
] as const satisfies SettingName[];
