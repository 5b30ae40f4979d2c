import type { Scope } from '../../shared/schema/scopes.ts';

/** The nouns of the API in the order of the document: folders of shared/schema, with descriptions. */
export const nouns: Record<string, { name: string; description: string }> = {
  alert: { name: 'Alerts', description: 'Alerts, the actions of people on them, and their history.' },
  incident: {
    name: 'Incidents',
    description: 'One cause that concerns many devices, with one lifecycle and one notification.',
  },
  device: { name: 'Devices', description: 'Cameras and their activity.' },
  place: { name: 'Places', description: 'The places where devices are, and through which they are connected.' },
  guardian: { name: 'Guardian alerts', description: 'What the configuration guardians published.' },
  fleet: { name: 'Fleet', description: 'The state of the fleet: now, over time, and as a stream of changes.' },
  bridge: { name: 'Bridges', description: 'The programs between your MQTT broker and Watchpost.' },
  webhook: { name: 'Webhooks', description: 'Endpoints that events are sent to.' },
  delivery: { name: 'Deliveries', description: 'Sent and pending messages on every channel.' },
  event: { name: 'Events', description: 'The events that webhooks send, for receivers that fetch them.' },
  settings: { name: 'Settings', description: 'Alert rules, teams and the settings of the fleet.' },
  maintenance: {
    name: 'Maintenance',
    description: 'Planned work: alerts are recorded, but nobody is notified.',
  },
  quarantine: { name: 'Quarantine', description: 'Reports that could not be read.' },
  job: { name: 'Jobs', description: 'Work that takes longer than one call.' },
  audit: { name: 'Audit', description: 'Who changed what, and who was refused.' },
  ledger: { name: 'Ledger', description: 'When cameras were seen and when not, with proofs.' },
  me: { name: 'Me', description: 'What the own token allows.' },
  metrics: { name: 'Metrics', description: 'Metrics for monitoring systems.' },
  probe: { name: 'Probes', description: 'Whether the service runs, and whether its dependencies answer.' },
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
  'contacts:read': 'see complete addresses of contacts in answers that contain them',
  'audit:read': 'read the audit stream; not for a token limited to groups',
  'events:read': 'read the feed of events',
  'metrics:read': 'read the metrics',
};
