import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Account, accountsFor, passwordFor, type Registered } from '../broker/accounts.ts';
import { issueClient } from '../broker/certificates.ts';
import { type FormatName, formatNames, formats } from '../broker/formats.ts';
import type { Command, Context, Given } from '../command.ts';
import { UsageError } from '../usage.ts';

/** A certificate that ends sooner is issued again. */
const renewalMs = 30 * 86_400_000;
const shortestKey = 16;

const flags = {
  format: { about: 'broker: mosquitto, emqx or hivemq', value: 'B', oneOf: formatNames },
  out: { about: 'folder for the files', value: 'DIR' },
  key: { about: 'file with a secret of yours from which passwords follow; without it they are random', value: 'FILE' },
  bridges: { about: 'how many bridges share the cameras (1)', value: 'N', number: [1, 64] },
  guardians: { about: 'also for guardians that are not enrolled yet' },
  check: { about: 'compare with the accounts in this file of the broker, and write nothing', value: 'FILE' },
  certificates: { about: 'issue client certificates in place of passwords' },
  ca: { about: 'certificate of your authority, PEM', value: 'FILE' },
  'ca-key': { about: 'its private key, PEM', value: 'FILE' },
  days: { about: 'how long a client certificate is valid (365)', value: 'N', number: [1, 820] },
} as const;

export const brokerCommands: readonly Command[] = [
  {
    name: 'broker-accounts',
    about: 'writes accounts and access lists of all cameras and guardians for a broker',
    flags,
    async run(context) {
      const act = actionOf(context);
      const { accounts, refused } = await registeredAccounts(context, bridgesOf(context.flags));
      for (const deviceId of refused) {
        context.terminal.err(
          `${deviceId}: this id is that of an account of the service or of a guardian, so the camera gets none.\n`,
        );
      }
      const isDone = act(accounts);
      return isDone && refused.length === 0;
    },
  },
];

async function registeredAccounts({ flags: given, client, terminal }: Context, bridges: number) {
  const devices: Registered[] = [];
  for await (const device of client().each('listDevices', { query: { pageSize: 200 }, signal: terminal.signal })) {
    devices.push(device);
  }
  return accountsFor(devices, { bridges, hasAllGuardians: given.has('guardians') });
}

/** @throws UsageError */
function bridgesOf(given: Given): number {
  const bridges = given.number('bridges') ?? 1;
  if (!Number.isInteger(Math.log2(bridges))) throw new UsageError('--bridges must be a power of two, up to 64.');
  return bridges;
}

/** What is done with the accounts. @returns whether nothing is left to do */
type Action = (accounts: readonly Account[]) => boolean;

/** The action that the flags name, with all that it reads. @throws UsageError */
function actionOf(context: Context): Action {
  const { flags: given } = context;
  if (given.has('certificates')) return issuing(context);
  const format = given.text('format') as FormatName | undefined;
  if (format === undefined) throw new UsageError(`--format is missing: ${formatNames.join(', ')}.`);
  const check = given.text('check');
  return check === undefined ? writing(context, format) : comparing(context, format, check);
}

/** Writes the files of a broker, and prints the passwords, which are kept nowhere else. */
function writing({ flags: given, print }: Context, format: FormatName): Action {
  const out = required(given, 'out');
  const key = keyIn(given);
  return (accounts) => {
    const secrets = accounts.map((account) => ({ ...account, password: passwordFor(account.user, key) }));
    mkdirSync(out, { recursive: true });
    for (const [name, content] of Object.entries(formats[format].files(secrets))) {
      writeFileSync(join(out, name), content, { mode: 0o600 });
    }
    print.list(secrets, [
      ['user', ({ user }) => user],
      ['role', ({ role }) => role],
      ['password', ({ password }) => password],
    ]);
    return true;
  };
}

function keyIn(given: Given): Uint8Array | null {
  const file = given.text('key');
  if (file === undefined) return null;
  const key = contentOf(file, 'key');
  if (key.trim().length < shortestKey)
    throw new UsageError(`--key: ${file} must hold at least ${shortestKey} characters.`);
  return new TextEncoder().encode(key.trim());
}

/** Names who is registered without an account, and the accounts of nobody. */
function comparing({ print }: Context, format: FormatName, file: string): Action {
  const present = new Set(formats[format].usersIn(contentOf(file, 'check')));
  return (accounts) => {
    const wanted = new Set(accounts.map(({ user }) => user));
    const differences = [
      ...accounts.filter(({ user }) => !present.has(user)).map(({ user }) => ({ user, problem: 'has no account' })),
      ...[...present]
        .filter((user) => !wanted.has(user))
        .map((user) => ({ user, problem: 'is nobody that is registered' })),
    ];
    print.list(differences, [
      ['user', ({ user }) => user],
      ['problem', ({ problem }) => problem],
    ]);
    return differences.length === 0;
  };
}

/** Issues certificates where there is none yet, or one that ends within 30 days. */
function issuing({ flags: given, print }: Context): Action {
  const out = required(given, 'out');
  const authority = {
    certificate: contentOf(required(given, 'ca'), 'ca'),
    key: contentOf(required(given, 'ca-key'), 'ca-key'),
  };
  const days = given.number('days') ?? 365;
  return (accounts) => {
    mkdirSync(out, { recursive: true });
    const now = new Date();
    const results = accounts.map(({ user }) => {
      const path = join(out, `${user}.pem`);
      const before = existsSync(path) ? new X509Certificate(readFileSync(path)).validToDate : null;
      if (before !== null && before.getTime() - now.getTime() > renewalMs)
        return { user, endsAt: before, action: 'kept' };
      const { certificate, key } = issueClient(authority, user, days, now);
      writeFileSync(join(out, `${user}-key.pem`), key, { mode: 0o600 });
      writeFileSync(path, certificate);
      const endsAt = new X509Certificate(certificate).validToDate;
      return { user, endsAt, action: before === null ? 'issued' : 'renewed' };
    });
    print.list(results, [
      ['user', ({ user }) => user],
      ['endsAt', ({ endsAt }) => endsAt.toISOString()],
      ['action', ({ action }) => action],
    ]);
    return true;
  };
}

function required(given: Given, name: string): string {
  const value = given.text(name);
  if (value === undefined) throw new UsageError(`--${name} is missing.`);
  return value;
}

function contentOf(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--${flag}: ${file} cannot be read: ${(error as Error).message}`);
  }
}
