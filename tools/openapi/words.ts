import type { Scope } from '../../shared/schema/scopes.ts';

/** The nouns of the API, in the order of the document: folders of shared/schema with what they are about. */
export const nouns: Record<string, { name: string; description: string }> = {
  alert: { name: 'Alerts', description: 'Alerts, what people do to them and what became of them.' },
  incident: {
    name: 'Incidents',
    description: 'One cause that concerns many devices: it has one life and one notification.',
  },
  device: { name: 'Devices', description: 'Cameras and what happened on them.' },
  place: { name: 'Places', description: 'Where devices stand, and what they hang on.' },
  guardian: { name: 'Guardian alerts', description: 'What the configuration guardians published.' },
  fleet: { name: 'Fleet', description: 'How the fleet is: now, over time, and as it changes.' },
  webhook: { name: 'Webhooks', description: 'Endpoints that events are sent to.' },
  delivery: { name: 'Deliveries', description: 'What was sent or shall be, on every channel.' },
  settings: { name: 'Settings', description: 'Alert rules, teams and the settings of the fleet.' },
  maintenance: {
    name: 'Maintenance',
    description: 'Planned work: alerts are recorded meanwhile, but nobody is notified.',
  },
  quarantine: { name: 'Quarantine', description: 'Reports that could not be read.' },
  job: { name: 'Jobs', description: 'Work that takes longer than a call.' },
  audit: { name: 'Audit', description: 'Who changed what, and who was refused.' },
  ledger: { name: 'Ledger', description: 'When cameras were seen and when not, and proofs of it.' },
  metrics: { name: 'Metrics', description: 'Figures for monitoring systems.' },
  probe: { name: 'Probes', description: 'Whether the service runs, and whether what it needs answers.' },
  '': { name: 'Description', description: 'This document.' },
};

/** What a token with a scope may do. */
export const scopeWords: Record<Scope, string> = {
  'alerts:read': 'read alerts, incidents, guardian alerts and the fleet',
  'alerts:write': 'act on alerts and incidents',
  'devices:read': 'read devices and their activity',
  'devices:write': 'name, move and remove devices, and register the keys of guardians',
  'webhooks:read': 'read endpoints and deliveries',
  'webhooks:write': 'change endpoints, and send deliveries again',
  'settings:read': 'read rules, teams, settings and the quarantine',
  'settings:write': 'change rules, teams, settings and the quarantine; not for a token limited to groups',
  'contacts:read': 'see addresses of contacts in full in the answers that hold them',
  'audit:read': 'read the audit stream; not for a token limited to groups',
  'metrics:read': 'read the metrics',
};
