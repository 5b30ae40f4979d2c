import type { Client } from '../../../sdk/typescript/src/index.ts';
import type { SchemaName } from '../../../shared/schema/validate.ts';

/**
 * A record as the service shows it (with hidden secrets), or as the file contains it (with `{env: NAME}` for secrets).
 */
export type Shown = Record<string, unknown>;
export type Existing = { id: string; key: string; shown: Shown };

/** Finds the secret in an environment variable. Undefined: the variable is not set. */
export type Secrets = (name: string) => string | undefined;

/** The state that the file wants for one record. */
export type Wanted = {
  /** The record as the service will show it, to compare with what it shows now. */
  shown: Shown;
  /**
   * The request body that produces this state.
   * @throws MissingSecret if the environment lacks a secret that it needs
   */
  body: () => object;
};

/** A needed secret is not in the environment. `path`: the member of the item that names it. */
export class MissingSecret extends Error {
  readonly path: readonly (string | number)[];
  constructor(name: string, path: readonly (string | number)[]) {
    super(`needs the environment variable ${name}, which is not set`);
    this.path = path;
  }
}

/** One kind of record that a file can hold. */
export type Kind = {
  /** The name of the section in the file. It holds one record if `isSingle`, else a list. */
  section: string;
  isSingle?: true;
  /** The member that people identify a record by. */
  key: string;
  /** The member that distinguishes records with the same key. Absent: keys are unique. */
  id?: string;
  schema: SchemaName;
  /**
   * The item in the form of its schema: without members that only the file has, and with a placeholder for each secret.
   * `faults`: what the schema cannot check.
   */
  checkable(item: Shown): { body: Shown; faults: { path: (string | number)[]; detail: string }[] };
  list(client: Client): Promise<Existing[]>;
  get(client: Client, id: string): Promise<{ existing: Existing; etag: string | null }>;
  /** The item that describes an existing record. */
  exported(existing: Existing): Shown;
  wanted(item: Shown, existing: Existing | null, secrets: Secrets): Wanted;
  create(client: Client, item: Shown, body: object): Promise<unknown>;
  change(client: Client, id: string, body: object, ifMatch: { ifMatch?: string }): Promise<unknown>;
  remove?(client: Client, id: string, ifMatch: { ifMatch?: string }): Promise<unknown>;
  /** Keys of records of the same kind that must be created before this one. */
  needs?(item: Shown): string[];
  /** Whether a record stays even with `--prune`, although the file does not describe it. */
  isKept?(existing: Existing): boolean;
};
