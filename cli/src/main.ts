#!/usr/bin/env node
import { run } from './run.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
// If the reader closes the pipe (`| head`), that is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

/** Only a terminal shows colours, unless its user wants none (no-color.org). */
function hasColour({ NO_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  return process.stdout.isTTY && !NO_COLOR && TERM !== 'dumb';
}

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  readInput: async () => {
    let text = '';
    for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
    return text;
  },
  signal: stop.signal,
  view: { columns: process.stdout.columns, hasColour: hasColour(process.env) },
});
