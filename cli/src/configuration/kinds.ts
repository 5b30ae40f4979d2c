import type { Kind } from './kind.ts';
import { rules } from './rules.ts';
import { settings } from './settings.ts';
import { teams } from './teams.ts';
import { webhooks } from './webhooks.ts';
import { windows } from './windows.ts';

/** In the order in which they are made: what stands later may name what stands before it. Removed the other way round. */
export const kinds: readonly Kind[] = [teams, settings, rules, windows, webhooks];
