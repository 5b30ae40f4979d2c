import type { Settings } from '../../schema/settings/settings.ts';
import type { Webhook } from '../delivery/webhook.ts';
import type { WindowRecord } from '../maintenance/window.ts';
import type { LostTime } from '../restored/restored.ts';
import type { RuleRecord } from '../settings/rules.ts';
import type { Teams } from './team.ts';

/** What operators and customers have configured, as one bundle. Rules are in the order in which they apply. */
export type Configuration = {
  webhooks: readonly Webhook[];
  rules: readonly RuleRecord[];
  teams: Teams;
  windows: readonly WindowRecord[];
  settings: Settings;
  /** The last restore of the database. Null or absent: there was none. */
  restored?: LostTime | null;
};
