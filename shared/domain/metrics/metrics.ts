/**
 * All metrics by name, with description and labels. No label has a value that a device chooses, and none identifies a device, so groups, endpoints
 * and fixed lists bound the number of series.
 */
export const metricTable = {
  watchpost_devices: {
    help: 'Devices by group and connection state. The group "other" sums groups without series of their own.',
    labels: ['group', 'state'],
  },
  watchpost_alerts_open: { help: 'Alerts that are not resolved.', labels: ['severity', 'code'] },
  watchpost_incidents_open: { help: 'Incidents that are not resolved.', labels: ['kind'] },
  watchpost_deliveries_last_hour: {
    help: 'Deliveries created in the last hour, by status.',
    labels: ['channel', 'outcome'],
  },
  watchpost_deliveries_waiting: {
    help: 'Deliveries that wait: pending for an attempt, held or failed for a person.',
    labels: ['channel', 'status'],
  },
  watchpost_delivery_oldest_pending_age_seconds: {
    help: 'Age of the oldest delivery that waits for an attempt; 0 if none waits.',
    labels: [],
  },
  watchpost_channel_failing: {
    help: 'Whether messages to people on a channel fail, whoever they are for.',
    labels: ['channel'],
  },
  watchpost_channel_failing_receivers: {
    help: 'Receivers that messages on a channel do not reach; for tokens of all groups only.',
    labels: ['channel'],
  },
  watchpost_sight: {
    help: 'Whether the platform itself sees the fleet: 1 for its present state.',
    labels: ['state'],
  },
  watchpost_ingest_lag_seconds: {
    help: 'Age of the newest instant before which no report is missing, by the path on which reports arrive.',
    labels: ['way'],
  },
  watchpost_canary_age_seconds: {
    help: 'Time since the last canary was handled, by path; without canaries, since the last report.',
    labels: ['way'],
  },
  watchpost_quarantine_messages: {
    help: 'Messages in quarantine that nobody has looked at; for tokens of all groups only.',
    labels: ['reason'],
  },
  watchpost_endpoint_enabled: { help: 'Whether an endpoint gets events.', labels: ['endpoint'] },
  watchpost_endpoint_failing: {
    help: 'Whether people were told that an endpoint fails or was disabled, and it has not worked since.',
    labels: ['endpoint'],
  },
  watchpost_endpoint_deliveries: {
    help: 'Deliveries to an endpoint in the last 28 days that have ended, counted once an hour.',
    labels: ['endpoint', 'outcome'],
  },
  watchpost_endpoint_success_ratio: {
    help: 'Share of the deliveries to an endpoint in the last 28 days that it accepted; absent if there were none.',
    labels: ['endpoint'],
  },
} as const satisfies Record<string, { help: string; labels: readonly string[] }>;
export type MetricName = keyof typeof metricTable;
