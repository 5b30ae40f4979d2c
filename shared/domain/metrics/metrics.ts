/**
 * All metrics by their names, with what they say and their labels. No label takes a value that a device chooses, and none names a device:
 * the number of series is bounded by groups, endpoints and fixed lists.
 */
export const metricTable = {
  watchpost_devices: {
    help: 'Devices by group and by whether they are connected. The group "other" sums those that have no series of their own.',
    labels: ['group', 'state'],
  },
  watchpost_alerts_open: { help: 'Alerts that are not resolved.', labels: ['severity', 'code'] },
  watchpost_incidents_open: { help: 'Incidents that are not resolved.', labels: ['kind'] },
  watchpost_deliveries_last_hour: {
    help: 'Deliveries created in the last hour, by what has become of them.',
    labels: ['channel', 'outcome'],
  },
  watchpost_deliveries_waiting: {
    help: 'Deliveries that wait: pending for an attempt, held or failed for a person.',
    labels: ['channel', 'status'],
  },
  watchpost_delivery_oldest_pending_age_seconds: {
    help: 'Age of the oldest delivery that waits for an attempt; 0 where none waits.',
    labels: [],
  },
  watchpost_sight: {
    help: 'Whether the platform itself sees the fleet: 1 for its present state.',
    labels: ['state'],
  },
  watchpost_ingest_lag_seconds: {
    help: 'Age of the newest instant before which no report is missing, by the way on which reports arrive.',
    labels: ['way'],
  },
  watchpost_canary_age_seconds: {
    help: 'Time since the last canary was handled, by way; without canaries, since the last report.',
    labels: ['way'],
  },
  watchpost_quarantine_messages: {
    help: 'Messages in quarantine that nobody has looked at; for tokens of all groups only.',
    labels: ['reason'],
  },
  watchpost_endpoint_enabled: { help: 'Whether an endpoint gets events.', labels: ['endpoint'] },
  watchpost_endpoint_deliveries: {
    help: 'Deliveries of the last 28 days to an endpoint that have ended, counted once an hour.',
    labels: ['endpoint', 'outcome'],
  },
  watchpost_endpoint_success_ratio: {
    help: 'Share of the deliveries to an endpoint in the last 28 days that it took; absent where there was none.',
    labels: ['endpoint'],
  },
} as const satisfies Record<string, { help: string; labels: readonly string[] }>;
export type MetricName = keyof typeof metricTable;
