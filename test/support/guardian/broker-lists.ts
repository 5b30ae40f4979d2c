import { readFileSync } from 'node:fs';
import { fits } from '../../../local/brokers/access-list.ts';

// Small models of the access lists of brokers that do not run here. Each reads the documented file.

/** Whether a user may publish to a topic. */
export type MayPublish = (user: string, topic: string) => boolean;

const listed = (name: string) => readFileSync(new URL(`../../../local/brokers/lists/${name}`, import.meta.url), 'utf8');

/** EMQX: the first matching rule decides. A rule of unknown form is an error. */
export function emqxList(): MayPublish {
  const rules = listed('emqx-acl.conf')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('%%') && !line.includes(', subscribe, '))
    .map((line) => {
      if (line === '{deny, all}.') return { isAllowed: false, who: /^/, filters: ['#'] };
      const parts = /^\{(allow|deny), (?:all|\{username, \{re, "([^"]+)"\}\}), publish, \[(.*)\]\}\.$/.exec(line);
      if (!parts) throw new Error(`No rule of the model: ${line}`);
      const filters = [...(parts[3] ?? '').matchAll(/"([^"]+)"/g)].map(([, filter = '']) => filter);
      return { isAllowed: parts[1] === 'allow', who: new RegExp(parts[2] ?? '^'), filters };
    });
  return (user, topic) => {
    const guarded = /^guardian-(.+)$/.exec(user)?.[1] ?? '';
    const filled = (filter: string) =>
      filter.replace(/\$\{username\}/, user).replace(/\$\{client_attrs\.guarded\}/, guarded);
    const rule = rules.find(
      ({ who, filters }) => who.test(user) && filters.some((filter) => fits(filled(filter), topic)),
    );
    return rule?.isAllowed ?? false;
  };
}

/** HiveMQ's File RBAC: only what a role of the user permits. */
export function hivemqList(): MayPublish {
  const text = listed('hivemq-credentials.xml').replace(/<!--[\s\S]*?-->/g, '');
  const rolesOf = new Map(
    [...text.matchAll(/<user><name>([^<]+)<\/name>.*?<roles><id>([^<]+)<\/id><\/roles><\/user>/g)].map(
      ([, user = '', role = '']) => [user, role],
    ),
  );
  const topicsOf = new Map(
    [...text.matchAll(/<role>\s*<id>([^<]+)<\/id>([\s\S]*?)<\/role>/g)].map(([, role = '', permissions = '']) => [
      role,
      [...permissions.matchAll(/<topic>([^<]+)<\/topic><activity>PUBLISH<\/activity>/g)].map(([, topic = '']) => topic),
    ]),
  );
  return (user, topic) =>
    (topicsOf.get(rolesOf.get(user) ?? '') ?? []).some((filter) =>
      fits(filter.replace(/\$\{\{username\}\}/, user), topic),
    );
}

/** A registry that lets each device publish below its own id. */
export function registryList(): MayPublish {
  const { publish } = JSON.parse(listed('iotcore.json')) as { publish: string[] };
  return (user, topic) => publish.some((filter) => fits(filter.replace(/\$\{deviceId\}/, user), topic));
}
