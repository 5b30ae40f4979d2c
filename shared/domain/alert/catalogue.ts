import type { AlertCode, Category, Severity } from '../../schema/alert/alert.ts';

/** The alert catalogue of the contract: severity and category of every code, and its name in a few words. */
export const catalogue: Record<AlertCode, { severity: Severity; category: Category; title: string }> = {
  CONN_001: { severity: 'CRITICAL', category: 'connectivity', title: 'MQTT connection lost' },
  CONN_002: { severity: 'ERROR', category: 'connectivity', title: 'MQTT connection unstable' },
  CONN_003: { severity: 'WARNING', category: 'connectivity', title: 'Network latency high' },
  CONN_004: { severity: 'INFO', category: 'connectivity', title: 'Connection restored' },
  SEC_001: { severity: 'CRITICAL', category: 'security', title: 'Certificate validation failed' },
  SEC_002: { severity: 'CRITICAL', category: 'security', title: 'Unauthorized broker connection attempt' },
  SEC_003: { severity: 'ERROR', category: 'security', title: 'Certificate expiring' },
  SEC_004: { severity: 'WARNING', category: 'security', title: 'Multiple failed authentication attempts' },
  CFG_001: { severity: 'CRITICAL', category: 'configuration', title: 'Critical configuration drift' },
  CFG_002: { severity: 'WARNING', category: 'configuration', title: 'Configuration healed' },
  CFG_003: { severity: 'WARNING', category: 'configuration', title: 'Configuration conflict' },
  CFG_004: { severity: 'INFO', category: 'configuration', title: 'Configuration updated' },
  RES_001: { severity: 'ERROR', category: 'resource', title: 'Memory usage critical' },
  RES_002: { severity: 'WARNING', category: 'resource', title: 'Memory usage high' },
  RES_003: { severity: 'WARNING', category: 'resource', title: 'Storage space low' },
  RES_004: { severity: 'INFO', category: 'resource', title: 'Resource usage normalized' },
};
