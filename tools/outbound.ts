// Refuses each call to the outside that does not go through the outbound guard (`shared/adapters/outbound`), which keeps the service from being
// used to reach what only it can reach. Names the file and the line of each other way out, and each exception that is no longer needed.
import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';
import { sourceFiles } from './imports.ts';

/** A way out of the process that a file uses: a global function, or a package. */
export type Exit = { file: string; name: string; line: number };

/** The files that leave by themselves, how, and why no customer can choose where to. The guard itself stands here too. */
const exceptions: Record<string, { exits: string[]; why: string }> = {
  'shared/adapters/outbound/client.ts': { exits: ['undici'], why: 'the client of the guard' },
  'shared/adapters/outbound/guard.ts': { exits: ['node:dns'], why: 'the guard itself' },
  'shared/adapters/channels/email/email-sender.ts': { exits: ['nodemailer'], why: 'the mail server of the settings' },
  'shared/adapters/mqtt/connect.ts': { exits: ['node:net', 'node:tls'], why: 'the broker of the settings' },
  'shared/adapters/probe/checks.ts': { exits: ['fetch'], why: 'Google and the issuer of the settings' },
  'shared/adapters/auth/metadata-token.ts': { exits: ['fetch'], why: "Google's metadata server" },
  'shared/adapters/auth/token-verifier.ts': { exits: ['fetch', 'jose'], why: 'the issuer of the settings' },
  'shared/adapters/ledger/log-objects.ts': { exits: ['fetch'], why: 'Cloud Storage' },
  'shared/adapters/ledger/witness.ts': { exits: ['fetch'], why: 'the witnesses of the settings' },
  'shared/adapters/world.ts': { exits: ['@google-cloud/firestore'], why: 'Firestore' },
  'shared/adapters/firestore/documents.ts': { exits: ['@google-cloud/firestore'], why: 'Firestore' },
  'shared/adapters/firestore/store.ts': { exits: ['@google-cloud/firestore'], why: 'Firestore' },
  'shared/adapters/firestore/tail.ts': { exits: ['@google-cloud/firestore'], why: 'Firestore' },
  'shared/adapters/frames/frames.ts': { exits: ['@google-cloud/storage'], why: 'Cloud Storage' },
  'shared/adapters/sight/canary-senders.ts': { exits: ['@google-cloud/pubsub'], why: 'Pub/Sub' },
  'shared/adapters/tasks/tasks.ts': { exits: ['@google-cloud/tasks', '@grpc/grpc-js'], why: 'Cloud Tasks' },
};

/** Packages that call nobody. Each other package counts as a way out, so that a new one is looked at. */
const quietPackages =
  /^(typebox|ajv|ajv-formats|uuid|hono|@hono\/node-server|@google-cloud\/functions-framework|@cantoo\/pdf-lib|csv-parse|ipaddr\.js|mqtt-packet)(\/|$)/;
const loudModules =
  /^node:(http|https|http2|net|tls|dgram|dns|quic|child_process|worker_threads|cluster|module|vm)(\/|$)/;
const loudGlobals = new Set(['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']);
const globalObjects = new Set(['globalThis', 'global', 'self']);
/** What `node:net` offers without opening a connection. */
const quietNames = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList']);

function isLoud(specifier: string): boolean {
  if (specifier.startsWith('.')) return false;
  return specifier.startsWith('node:') ? loudModules.test(specifier) : !quietPackages.test(specifier);
}

/** The ways out that a file uses. A comment, a text, a type or a member of the same name is none. */
export function exitsOf(file: string, source: string): Exit[] {
  const found: Exit[] = [];
  const add = (name: string, { start }: { start: number }) => {
    found.push({ file, name, line: source.slice(0, start).split('\n').length });
  };
  /** Identifiers that only name a member, by their place. */
  const members = new Set<number>();
  const key = ({ key, computed, shorthand }: { key: { start: number }; computed?: boolean; shorthand?: boolean }) => {
    if (!computed && !shorthand) members.add(key.start);
  };
  new Visitor({
    ImportDeclaration({ source: { value }, importKind, specifiers, start }) {
      const isQuiet = ({ type, imported }: { type: string; imported?: object }) =>
        type === 'ImportSpecifier' && imported && 'name' in imported && quietNames.has(String(imported.name));
      const isType = importKind === 'type' || (specifiers.length > 0 && specifiers.every((each) => isTypeOnly(each)));
      if (isType || !isLoud(value)) return;
      const isHarmless = value === 'node:net' && specifiers.length > 0 && specifiers.every(isQuiet);
      if (!isHarmless) add(value, { start });
    },
    ExportNamedDeclaration({ source: from, exportKind, start }) {
      if (from && exportKind !== 'type' && isLoud(from.value)) add(from.value, { start });
    },
    ExportAllDeclaration({ source: from, exportKind, start }) {
      if (exportKind !== 'type' && isLoud(from.value)) add(from.value, { start });
    },
    ImportExpression({ source: from, start }) {
      const value = from.type === 'Literal' && typeof from.value === 'string' ? from.value : null;
      if (value === null || isLoud(value)) add(value ?? 'import() of a name that is computed', { start });
    },
    MemberExpression({ object, property, computed, start }) {
      const isGlobal = object.type === 'Identifier' && globalObjects.has(object.name);
      const name = property.type === 'Identifier' ? property.name : '';
      if (name === 'getBuiltinModule') add(name, { start });
      if (isGlobal && !computed && !loudGlobals.has(name)) members.add(object.start);
      if (!computed && !isGlobal) members.add(property.start);
    },
    Property: key,
    MethodDefinition: key,
    PropertyDefinition: key,
    TSPropertySignature: key,
    TSMethodSignature: key,
    Identifier({ name, start }) {
      if (!members.has(start) && (loudGlobals.has(name) || globalObjects.has(name))) add(name, { start });
    },
  }).visit(parseSync(file, source).program);
  return found;
}

function isTypeOnly(specifier: object): boolean {
  return 'importKind' in specifier && specifier.importKind === 'type';
}

/** The exits without an exception, and the exceptions without an exit. */
export function faultsOf(exits: readonly Exit[]): string[] {
  const wild = exits.filter(({ file, name }) => !exceptions[file]?.exits.includes(name));
  const unneeded = Object.entries(exceptions).flatMap(([file, { exits: allowed }]) =>
    allowed
      .filter((name) => !exits.some((exit) => exit.file === file && exit.name === name))
      .map((name) => `${file}: uses ${name} no longer: remove its exception in tools/outbound.ts`),
  );
  return [
    ...wild.map(
      ({ file, line, name }) =>
        `${file}:${line}: ${name} leaves the process outside the outbound guard: use shared/adapters/outbound/client.ts`,
    ),
    ...unneeded,
  ];
}

if (import.meta.main) {
  const files = sourceFiles('.', ['shared', 'functions']);
  const faults = faultsOf(files.flatMap((file) => exitsOf(file, readFileSync(file, 'utf8'))));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 || files.length === 0 ? 1 : 0;
}
