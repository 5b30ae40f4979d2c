import type { Configuration } from '../decide/fields.ts';
import type { Failure } from '../decide/management-interface.ts';

const eventPath = '/axis-cgi/mqtt/event.cgi';

type Ask = (
  path: string,
  method: string,
  params?: Record<string, unknown>,
) => Promise<{ status: 'answered'; data: unknown } | Failure>;
type Filter = Record<string, unknown> & { topicFilter: string; useDeviceTopicPrefix?: unknown };

/** Marks a topic that the camera prefixes with its own topic prefix (`useDeviceTopicPrefix`). */
const prefixMark = '{deviceTopicPrefix}/';

/** Whether the golden configuration contains subscriptions, which a second API of the camera manages. */
export function hasSubscriptions(golden: Configuration): boolean {
  return Object.keys(golden).some((name) => name.startsWith('subscriptions.'));
}

/**
 * Reads the topics that the camera subscribes to (`getMqttSubscriptionConfig` of the VAPIX MQTT event bridge). The API knows one list
 * without roles: a filter that ends in `/command` is the command topic, one that ends in `/config` the configuration topic.
 */
export async function readSubscriptions(ask: Ask): Promise<{ status: 'read'; configuration: Configuration } | Failure> {
  const filters = await readFilters(ask);
  if (filters.status === 'failed') return filters;
  const topics = filters.list.map(topicOf);
  const [command, config] = [topicsOf(topics, 'command'), topicsOf(topics, 'config')];
  const other = topics.filter((topic) => roleOf(topic) === 'other');
  return {
    status: 'read',
    configuration: {
      'subscriptions.command': command.join(', '),
      'subscriptions.config': config.join(', '),
      'subscriptions.other': other,
    },
  };
}

/** Writes the golden subscriptions (`configureMqttSubscription`, which replaces the list); roles that golden does not name stay. */
export async function writeSubscriptions(
  ask: Ask,
  golden: Configuration,
): Promise<{ status: 'answered'; data: unknown } | Failure> {
  const filters = await readFilters(ask);
  if (filters.status === 'failed') return filters;
  const { list } = filters;
  const wanted: Filter[] = [];
  for (const role of ['command', 'config', 'other'] as const) {
    const value = golden[`subscriptions.${role}`];
    const topics = value === undefined ? topicsOf(list.map(topicOf), role) : [value].flat().map(String);
    wanted.push(...topics.filter(Boolean).map((topic) => filterOf(list, topic)));
  }
  return ask(eventPath, 'configureMqttSubscription', { mqttFilterList: wanted });
}

/** An existing filter keeps its quality of service and flags; a missing one is subscribed with QoS 1. */
function filterOf(list: readonly Filter[], topic: string): Filter {
  const present = list.find((filter) => topicOf(filter) === topic);
  if (present) return present;
  const useDeviceTopicPrefix = topic.startsWith(prefixMark);
  const topicFilter = useDeviceTopicPrefix ? topic.slice(prefixMark.length) : topic;
  return { topicFilter, useDeviceTopicPrefix, qos: 1, isStateData: false };
}

function topicOf({ topicFilter, useDeviceTopicPrefix }: Filter): string {
  return useDeviceTopicPrefix === true ? prefixMark + topicFilter : topicFilter;
}

async function readFilters(ask: Ask): Promise<{ status: 'read'; list: Filter[] } | Failure> {
  const answer = await ask(eventPath, 'getMqttSubscriptionConfig');
  if (answer.status === 'failed') return answer;
  const { mqttSubscriptionConfig } = (answer.data ?? {}) as { mqttSubscriptionConfig?: { mqttFilterList?: unknown } };
  const list = mqttSubscriptionConfig?.mqttFilterList;
  if (!Array.isArray(list))
    return { status: 'failed', reason: 'unreadable', detail: 'The camera lists no subscriptions.' };
  return { status: 'read', list: list.filter((filter) => typeof filter?.topicFilter === 'string') };
}

function topicsOf(topics: readonly string[], role: 'command' | 'config' | 'other'): string[] {
  return topics.filter((topic) => roleOf(topic) === role);
}

function roleOf(topic: string): 'command' | 'config' | 'other' {
  return topic.endsWith('/command') ? 'command' : topic.endsWith('/config') ? 'config' : 'other';
}
