import type { AlertCode, Severity } from '../../schema/vocabulary.ts';
import { catalogue } from '../alert/catalogue.ts';

/** Short names of problems to follow a camera's name, for codes with a longer title. */
const troubles: Partial<Record<AlertCode, string>> = {
  CONN_001: 'offline',
  CONN_002: 'connection unstable',
  CONN_003: 'network slow',
  CONN_004: 'online again',
  SEC_001: 'certificate not valid',
  SEC_002: 'foreign broker attempt',
  SEC_003: 'certificate expiring',
  SEC_004: 'failed sign-ins',
  CFG_001: 'configuration changed',
  CFG_002: 'configuration healed',
  CFG_003: 'configuration conflict',
  CFG_004: 'configuration updated',
  RES_001: 'memory critical',
  RES_002: 'memory high',
  RES_003: 'storage low',
  RES_004: 'resources normal',
};

export function troubleOf(code: AlertCode): string {
  return troubles[code] ?? catalogue[code].title.toLowerCase();
}

/** Short severity names for text messages. */
export const shortSeverities: Record<Severity, string> = {
  CRITICAL: 'CRIT',
  ERROR: 'ERR',
  WARNING: 'WARN',
  INFO: 'INFO',
};

/** A number with its noun: `1 camera`, `39 cameras`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
