import type { AlertCode, Category, Severity } from '../../schema/alert/alert.ts';
import type { Waits } from '../limits.ts';

export type CatalogueRow = {
  severity: Severity;
  category: Category;
  /** Its name in a few words. */
  title: string;
  /** The wait during which nobody is notified that it began, since it may end as it should. */
  notifyGrace?: keyof Waits;
};

/** The alert catalogue of the contract, and how each code is notified. */
export const catalogue: Record<AlertCode, CatalogueRow> = {
  CONN_001: { severity: 'CRITICAL', category: 'connectivity', title: 'MQTT connection lost' },
  CONN_002: { severity: 'ERROR', category: 'connectivity', title: 'MQTT connection unstable' },
  CONN_003: { severity: 'WARNING', category: 'connectivity', title: 'Network latency high' },
  CONN_004: { severity: 'INFO', category: 'connectivity', title: 'Connection restored' },
  SEC_001: { severity: 'CRITICAL', category: 'security', title: 'Certificate validation failed' },
  SEC_002: { severity: 'CRITICAL', category: 'security', title: 'Unauthorized broker connection attempt' },
  SEC_003: { severity: 'ERROR', category: 'security', title: 'Certificate expiring' },
  SEC_004: { severity: 'WARNING', category: 'security', title: 'Multiple failed authentication attempts' },
  // A drift that heals within the grace is normal operation.
  CFG_001: {
    severity: 'CRITICAL',
    category: 'configuration',
    title: 'Critical configuration drift',
    notifyGrace: 'driftGrace',
  },
  CFG_002: { severity: 'WARNING', category: 'configuration', title: 'Configuration healed' },
  CFG_003: { severity: 'WARNING', category: 'configuration', title: 'Configuration conflict' },
  CFG_004: { severity: 'INFO', category: 'configuration', title: 'Configuration updated' },
  RES_001: { severity: 'ERROR', category: 'resource', title: 'Memory usage critical' },
  RES_002: { severity: 'WARNING', category: 'resource', title: 'Memory usage high' },
  RES_003: { severity: 'WARNING', category: 'resource', title: 'Storage space low' },
  RES_004: { severity: 'INFO', category: 'resource', title: 'Resource usage normalized' },
};

/** An informational alert needs no action: it is resolved at birth. */
export function isInformational(code: AlertCode): boolean {
  return catalogue[code].severity === 'INFO';
}

/** The codes of a category that stay open until their condition ends. */
export function lastingCodes(category: Category): AlertCode[] {
  const codes = Object.keys(catalogue) as AlertCode[];
  return codes.filter((code) => catalogue[code].category === category && !isInformational(code));
}
