import { LineCounter, parseDocument } from 'yaml';
import { UsageError } from '../usage.ts';

/** A value that the file takes from the environment, because it is a secret. With another `version` it is taken again. */
export type FromEnvironment = { env: string; version?: number };

export function isFromEnvironment(value: unknown): value is FromEnvironment {
  if (typeof value !== 'object' || value === null) return false;
  const { env, version = 1, ...rest } = value as { env?: unknown; version?: unknown };
  const isVersion = Number.isInteger(version) && Number(version) >= 1 && Number(version) <= 1_000_000_000;
  const isName = typeof env === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(env);
  return isName && isVersion && Object.keys(rest).length === 0;
}

/** A parsed file, with the position of each member. */
export type ConfigurationFile = {
  value: Record<string, unknown>;
  /** @returns an error that names the members at fault, each with line and column */
  faults(found: readonly { path: readonly (string | number)[]; detail: string }[]): UsageError;
};

/**
 * Reads YAML 1.2, which includes JSON.
 * @throws UsageError with line and column of each fault
 */
export function readConfiguration(name: string, text: string): ConfigurationFile {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, stringKeys: true });
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw new UsageError(document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message}`).join('\n'));
  }
  const placeOf = (path: readonly (string | number)[]): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
      if (node?.range) return node.range[0];
    }
    return 0;
  };
  const faults: ConfigurationFile['faults'] = (found) =>
    new UsageError(
      found.map(({ path, detail }) => `${at(placeOf(path))}: ${path.join('.') || 'the file'} ${detail}`).join('\n'),
    );
  const value: unknown = plainValue(document, (detail) => faults([{ path: [], detail }]));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw faults([{ path: [], detail: 'must be a mapping that begins with `version: 1`' }]);
  }
  return { value: value as Record<string, unknown>, faults };
}

/** The library refuses aliases that expand exponentially. */
function plainValue(document: ReturnType<typeof parseDocument>, fault: (detail: string) => UsageError): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 });
  } catch (error) {
    throw fault(error instanceof Error ? error.message : String(error));
  }
}
