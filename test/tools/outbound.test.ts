import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exitsOf, faultsOf } from '../../tools/outbound.ts';

const sender = 'shared/adapters/channels/sms/sms-sender.ts';
const namesIn = (source: string) => exitsOf(sender, source).map(({ name }) => name);

test.each([
  ['a raw fetch', 'await fetch(url);', 'fetch'],
  ['the global fetch', 'globalThis.fetch(url);', 'globalThis'],
  ['the global fetch by a text', "globalThis['fetch'](url);", 'globalThis'],
  ['the global object under another name', 'const world = globalThis; world.fetch(url);', 'globalThis'],
  ['fetch under another name', 'const ask = fetch; ask(url);', 'fetch'],
  ['fetch handed on', 'createSender({ fetch });', 'fetch'],
  ['a web socket', 'new WebSocket(url);', 'WebSocket'],
  ['undici', "import { request } from 'undici';", 'undici'],
  ['undici, loaded late', "const { request } = await import('undici');", 'undici'],
  ['a module whose name is computed', 'await import(name);', 'import() of a name that is computed'],
  ['an import for its effect', "import 'undici';", 'undici'],
  ['a request of Node', "import { request } from 'node:https';", 'node:https'],
  ['a re-export', "export { request } from 'node:http';", 'node:http'],
  ['a socket beside a harmless function', "import { connect, isIP } from 'node:net';", 'node:net'],
  ['a package that nobody has looked at', "import got from 'got';", 'got'],
  ['a built-in module by its name', "process.getBuiltinModule('http');", 'getBuiltinModule'],
])('%s is a way out', (_, source, name) => {
  expect(namesIn(source)).toContain(name);
});

test.each([
  ['a comment', '// fetch(url)'],
  ['a text', "const text = 'fetch(url)';"],
  ['a member of the same name', 'await store.fetch(key);'],
  ['a member that is defined', 'const store = { fetch: () => null, async fetch() {} };'],
  ['a type', "import type { IncomingMessage } from 'node:http';\nimport { type Agent } from 'undici';"],
  ['what opens no connection', "import { isIP } from 'node:net';"],
  ['a package that calls nobody', "import { Hono } from 'hono';"],
])('%s is none', (_, source) => {
  expect(namesIn(source)).toEqual([]);
});

test('an exit is refused by file and line, unless its file has an exception for it', () => {
  const exits = exitsOf(sender, 'const url = 1;\nawait fetch(url);');
  expect(faultsOf(exits)[0]).toBe(
    `${sender}:2: fetch leaves the process outside the outbound guard: use shared/adapters/outbound/client.ts`,
  );
  const witness = 'shared/adapters/ledger/witness.ts';
  const known = exitsOf(witness, readFileSync(witness, 'utf8'));
  expect(known.map(({ name }) => name)).toEqual(['fetch']);
  expect(faultsOf(known).filter((fault) => fault.includes('outside'))).toEqual([]);
});

test('an exception that nothing needs is refused', () => {
  expect(faultsOf([])).toContain(
    'shared/adapters/ledger/witness.ts: uses fetch no longer: remove its exception in tools/outbound.ts',
  );
});
