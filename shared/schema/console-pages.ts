/**
 * The first parts of the console's paths, `/alerts` or `/alerts/ID`. Whatever serves the console answers these with its `index.html` and any other path
 * without a file with 404: the local gateway, Firebase Hosting (`firebase.json`) and the load balancer (`terraform/modules/front`).
 */
export const consolePages = [
  'alerts',
  'audit',
  'deliveries',
  'devices',
  'guardian',
  'import',
  'incidents',
  'inventory',
  'maintenance',
  'quarantine',
  'reports',
  'review',
  'rules',
  'settings',
  'shift',
  'teams',
  'webhooks',
] as const;
export type ConsolePage = (typeof consolePages)[number];
