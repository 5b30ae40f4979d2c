import { WatchpostError } from '../../../sdk/typescript/src/index.ts';
import type { Command } from '../command.ts';
import { clientFor, forgetLogin, isToken, keepLogin, loginFile } from '../connection.ts';
import { UsageError } from '../usage.ts';

export const loginCommands: readonly Command[] = [
  {
    name: 'login',
    about: 'reads a bearer token from standard input, checks it, and stores it for the following commands',
    async run({ flags, terminal }) {
      const url = flags.text('url') ?? terminal.env['WATCHPOST_URL'];
      if (!url) throw new UsageError('Which service? Give --url.');
      const token = (await terminal.readInput()).trim();
      if (!isToken(token)) throw new UsageError('Standard input held no bearer token.');
      await clientFor(url, token, terminal.runtime)
        .call('listAlerts', { query: { pageSize: 1 }, signal: terminal.signal })
        // A token that may not read alerts is still valid.
        .catch((error: unknown) => {
          if (!(error instanceof WatchpostError) || error.code !== 'forbidden') throw error;
        });
      keepLogin(terminal.env, { url, token });
      terminal.err(`The token is kept in ${loginFile(terminal.env)}.\n`);
      return true;
    },
  },
  {
    name: 'logout',
    about: 'deletes the stored token',
    async run({ terminal }) {
      forgetLogin(terminal.env);
      return true;
    },
  },
];
