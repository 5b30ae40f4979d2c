// Prints the password of an account at the broker of the running stack.
import { passwordOf } from './cloud/secrets.ts';
import { ArgumentError, readArguments, runCommand } from './stack/arguments.ts';
import { readRun } from './stack/run-file.ts';

const usage = `npm run password -- --user NAME [flags]

Prints the password of an account at the broker of the running stack. A camera's account is its device id, its guardian's
guardian-ID, and "bridge" hears everything. What each may do: local/brokers/lists/mosquitto.acl.`;

await runCommand(async () => {
  const flags = readArguments(usage, {
    user: { type: 'string', value: 'NAME', about: 'name of the account, e.g. cam-1 (required)' },
    'data-dir': { type: 'string', default: '.local', value: 'DIR', about: 'data directory of the stack (.local)' },
  });
  if (!flags.user) throw new ArgumentError('--user is missing.');
  console.log(passwordOf(readRun(flags['data-dir']).accountsKey, flags.user));
});
