// Prints a bearer token of the running stack.
import { scopes } from '../shared/schema/scopes.ts';
import { audience } from './cloud/environment.ts';
import { fetchToken } from './cloud/identity-tokens.ts';
import { ArgumentError, readArguments, readNumber, runCommand } from './stack/arguments.ts';
import { readRun } from './stack/run-file.ts';

const usage = 'npm run token -- [flags]\n\nPrints a bearer token of the running stack.';

await runCommand(async () => {
  const flags = readArguments(usage, {
    scope: { type: 'string', default: scopes.join(' '), value: '"A B"', about: 'scopes, separated by spaces (all)' },
    groups: {
      type: 'string',
      value: 'A,B',
      about: 'device groups that the bearer is limited to (all); none: a token without groups',
    },
    subject: { type: 'string', default: 'operator', value: 'NAME', about: 'who the bearer is (operator)' },
    expires: { type: 'string', default: '3600', value: 'SECONDS', about: 'how long it is valid (3600)' },
    'data-dir': { type: 'string', default: '.local', value: 'DIR', about: 'data directory of the stack (.local)' },
  });
  const unknown = flags.scope.split(/\s+/).filter((scope) => !(scopes as readonly string[]).includes(scope));
  if (unknown.length > 0) throw new ArgumentError(`There is no scope "${unknown[0]}": there are ${scopes.join(', ')}.`);
  const groups = flags.groups === undefined ? {} : { groups: flags.groups.split(',').filter(Boolean) };
  const expiresSeconds = readNumber('expires', flags.expires, 1, 365 * 86_400);
  const { issuer } = readRun(flags['data-dir']);
  console.log(
    await fetchToken(issuer, { audience, subject: flags.subject, scope: flags.scope, expiresSeconds, ...groups }),
  );
});
