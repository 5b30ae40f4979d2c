type Metric = { type: 'counter' | 'gauge'; help: string };

/** What the bridge counts and measures of itself. */
export const metricTable = {
  watchpost_bridge_received_total: { type: 'counter', help: 'Messages that the broker sent.' },
  watchpost_bridge_forwarded_total: { type: 'counter', help: 'Messages that Pub/Sub has taken.' },
  watchpost_bridge_acknowledged_total: { type: 'counter', help: 'Messages that were acknowledged to the broker.' },
  watchpost_bridge_repeated_total: {
    type: 'counter',
    help: 'Messages that the broker sent again while the first copy was still being published. They were not published twice.',
  },
  watchpost_bridge_ignored_total: {
    type: 'counter',
    help: 'Messages under topics that are not for this bridge, for instance of an older session.',
  },
  watchpost_bridge_packs_total: { type: 'counter', help: 'Packs of several messages that Pub/Sub has taken.' },
  watchpost_bridge_other_partition_total: {
    type: 'counter',
    help: 'Messages of devices that another bridge forwards.',
  },
  watchpost_bridge_refused_total: { type: 'counter', help: 'Messages that Pub/Sub will never take. They are lost.' },
  watchpost_bridge_cut_total: { type: 'counter', help: 'Messages that were too long for Pub/Sub and were shortened.' },
  watchpost_bridge_publish_failures_total: { type: 'counter', help: 'Failed attempts to publish. Each is repeated.' },
  watchpost_bridge_connections_total: { type: 'counter', help: 'Connections to the broker.' },
  watchpost_bridge_taken_over_total: {
    type: 'counter',
    help: 'Connections that ended because another client with the same id has connected.',
  },
  watchpost_bridge_connected: { type: 'gauge', help: '1 while the bridge is subscribed at the broker.' },
  watchpost_bridge_pubsub_reachable: { type: 'gauge', help: '0 while nothing can be published.' },
  watchpost_bridge_waiting: {
    type: 'gauge',
    help: '1 while the bridge does not read, because too much is being published.',
  },
  watchpost_bridge_in_flight_messages: { type: 'gauge', help: 'Messages that are being published.' },
  watchpost_bridge_in_flight_bytes: { type: 'gauge', help: 'Their size, with what the bridge needs to keep them.' },
  watchpost_bridge_broker_dropped_messages: {
    type: 'gauge',
    help: 'Messages that the broker says it has dropped, where MQTT_DROPPED_TOPIC is set. They are lost.',
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metricTable;
export type Counters = { add(name: MetricName, count?: number): void; set(name: MetricName, value: number): void };

export function createMetrics(): Counters & { read(name: MetricName): number; exposed(): string } {
  const names = Object.keys(metricTable) as MetricName[];
  const values = new Map<MetricName, number>(names.map((name) => [name, 0]));
  const read = (name: MetricName) => values.get(name) ?? 0;
  return {
    add: (name, count = 1) => void values.set(name, read(name) + count),
    set: (name, value) => void values.set(name, value),
    read,
    /** The text format of Prometheus. */
    exposed: () =>
      names
        .map((name) => {
          const { help, type } = metricTable[name];
          return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${read(name)}\n`;
        })
        .join(''),
  };
}
