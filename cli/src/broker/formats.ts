import { createHash, randomBytes } from 'node:crypto';
import { type Account, pbkdf2, type Role } from './accounts.ts';

export const formatNames = ['mosquitto', 'emqx', 'hivemq'] as const;
export type FormatName = (typeof formatNames)[number];

type Secret = Account & { password: string };

/** The files of a broker. `usersIn` reads the accounts of the file with the passwords again. */
type Format = {
  passwordFile: string;
  files(accounts: readonly Secret[]): Record<string, string>;
  usersIn(text: string): string[];
};

const kinds = ['status', 'connection', 'event', 'guardian', 'detection'];
const heard = ['devices/+/+', 'guardians/+/+', 'watchpost/canary'];
/** Where Mosquitto says how many messages it has dropped. */
const dropped = '$SYS/broker/publish/messages/dropped';

export const formats: Record<FormatName, Format> = {
  mosquitto: {
    passwordFile: 'passwords',
    files: (accounts) => ({
      passwords: lines(accounts.map(mosquittoPassword)),
      'mosquitto.acl': lines([
        '# A camera.',
        ...kinds.map((kind) => `pattern write devices/%u/${kind}`),
        ...accounts.flatMap(mosquittoRules),
      ]),
    }),
    usersIn: (text) => text.split('\n').flatMap((line) => /^([^:#]+):/.exec(line)?.[1] ?? []),
  },
  emqx: {
    passwordFile: 'users.csv',
    files: (accounts) => ({
      'users.csv': lines(['user_id,password_hash,salt,is_superuser', ...accounts.map(emqxUser)]),
      'acl.conf': lines(emqxRules),
    }),
    usersIn: (text) =>
      text
        .split('\n')
        .slice(1)
        .flatMap((line) => line.split(',')[0] || []),
  },
  hivemq: {
    passwordFile: 'credentials.xml',
    files: (accounts) => ({ 'credentials.xml': hivemqCredentials(accounts) }),
    usersIn: (text) => [...text.matchAll(/<user>\s*<name>([^<]+)<\/name>/g)].map(([, user = '']) => user),
  },
};

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

function mosquittoPassword({ user, password }: Secret): string {
  const iterations = 1000;
  const { salt, hash } = pbkdf2(password, iterations);
  return `${user}:$7$${iterations}$${salt}$${hash}`;
}

function mosquittoRules({ user, role, deviceId }: Account): string[] {
  const rules: Record<Role, string[]> = {
    camera: [],
    guardian: [
      'topic deny devices/#',
      `topic write guardians/${deviceId}/alert`,
      `topic write guardians/${deviceId}/health`,
    ],
    bridge: [...heard, dropped].map((topic) => `topic read ${topic}`),
    canary: ['topic deny devices/#', 'topic write watchpost/canary'],
    probe: ['topic deny #'],
  };
  return rules[role].length === 0 ? [] : ['', `user ${user}`, ...rules[role]];
}

/** Salted SHA-256, the salt after the password, as the built-in database of EMQX imports it. */
function emqxUser({ user, password }: Secret): string {
  const salt = randomBytes(16).toString('hex');
  return `${user},${createHash('sha256').update(`${password}${salt}`).digest('hex')},${salt},false`;
}

const guarded = `guardians/$\{client_attrs.guarded}`;
const own = kinds.map((kind) => `"devices/$\{username}/${kind}"`).join(', ');

/** The rules speak of all accounts by the form of their names. The settings beside them: docs/brokers.md. */
const emqxRules = [
  '{allow, {username, {re, "^bridge(-[0-9]+-[0-9]+)?$"}}, subscribe, ["devices/+/+", "guardians/+/+", "watchpost/canary"]}.',
  '{deny, {username, {re, "^bridge(-[0-9]+-[0-9]+)?$"}}, publish, ["#"]}.',
  '{deny, {username, {re, "^guardian-"}}, publish, ["devices/#"]}.',
  '{allow, {username, {re, "^watchpost-canary$"}}, publish, ["watchpost/canary"]}.',
  '{deny, {username, {re, "^watchpost-"}}, publish, ["#"]}.',
  `{allow, {username, {re, "^guardian-"}}, publish, ["${guarded}/alert", "${guarded}/health"]}.`,
  `{allow, all, publish, [${own}]}.`,
  '{deny, all}.',
];

function hivemqCredentials(accounts: readonly Secret[]): string {
  const iterations = 1000;
  const users = accounts.map(({ user, role, password }) => {
    const { salt, hash } = pbkdf2(password, iterations);
    const name = role === 'guardian' ? user : role;
    return `    <user><name>${user}</name><password>${salt}:${iterations}:${hash}</password><roles><id>${name}</id></roles></user>`;
  });
  const role = (id: string, permissions: readonly (readonly [topic: string, activity: string])[]) => [
    `    <role><id>${id}</id><permissions>`,
    ...permissions.map(
      ([topic, activity]) => `      <permission><topic>${topic}</topic><activity>${activity}</activity></permission>`,
    ),
    '    </permissions></role>',
  ];
  const guardians = accounts.flatMap(({ user, role: name, deviceId }) =>
    name === 'guardian'
      ? role(user, [
          [`guardians/${deviceId}/alert`, 'PUBLISH'],
          [`guardians/${deviceId}/health`, 'PUBLISH'],
        ])
      : [],
  );
  return lines([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<file-rbac>',
    '  <users>',
    ...users,
    '  </users>',
    '  <roles>',
    ...role(
      'bridge',
      heard.map((topic) => [topic, 'SUBSCRIBE'] as const),
    ),
    ...role('canary', [['watchpost/canary', 'PUBLISH']]),
    // A role needs a permission. Nobody publishes there.
    ...role('probe', [['watchpost/probe', 'SUBSCRIBE']]),
    ...role(
      'camera',
      kinds.map((kind) => [`devices/$\{{username}}/${kind}`, 'PUBLISH'] as const),
    ),
    ...guardians,
    '  </roles>',
    '</file-rbac>',
  ]);
}
