import { callerSettings } from '../../shared/adapters/http/private-edge.ts';
import type { SettingName } from '../../shared/config.ts';

/** What this function reads from its environment; in the cloud it is given exactly these. */
export const settings = [...callerSettings] as const satisfies SettingName[];
