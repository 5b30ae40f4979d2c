import type { Kind } from './kind.ts';
import { rules } from './rules.ts';
import { settings } from './settings.ts';
import { teams } from './teams.ts';
import { webhooks } from './webhooks.ts';
import { windows } from './windows.ts';

/** In the order of creation: later kinds may refer to earlier ones. Records are removed in the reverse order. */
export const kinds: readonly Kind[] = [settings, teams, rules, windows, webhooks];
