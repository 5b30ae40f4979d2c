import type { Client } from '../../../sdk/typescript/src/index.ts';
import type { SchemaName } from '../../../shared/schema/validate.ts';

/** A record as a file contains it, with hidden secrets. */
export type Shown = Record<string, unknown>;
export type Existing = { id: string; key: string; shown: Shown };

/**
 * The source of secrets.
 * @throws Fault if there is none with that name
 */
export type Secrets = (name: string) => string | undefined;

/** The wanted state of one record, compared with its present state. */
export type Wanted = {
  /** The record as the service will show it, to compare with what it shows now. */
  shown: Shown;
  /**
   * The request body that produces this state.
   * @throws MissingSecret
   */
  body: () => object;
};

/** The environment lacks a secret that is needed. */
export class MissingSecret extends Error {
  readonly path: readonly (string | number)[];
  constructor(name: string, path: readonly (string | number)[]) {
    super(`needs the environment variable ${name}, which is not set`);
    this.path = path;
  }
}

/** One kind of record that a file can hold. */
export type Kind = {
  /** The section of the file: one record, or a list. */
  section: string;
  isSingle?: true;
  /** The member that people identify a record by, and the member that distinguishes two records with the same name. */
  key: string;
  id?: string;
  schema: SchemaName;
  /** The item in the form of its schema: without members that only the file has, and with a placeholder for each secret. */
  checkable(item: Shown): { body: Shown; faults: { path: (string | number)[]; detail: string }[] };
  list(client: Client): Promise<Existing[]>;
  get(client: Client, id: string): Promise<{ existing: Existing; etag: string | null }>;
  /** The item that describes an existing record. */
  exported(existing: Existing): Shown;
  wanted(item: Shown, existing: Existing | null, secrets: Secrets): Wanted;
  create(client: Client, item: Shown, body: object): Promise<unknown>;
  change(client: Client, id: string, body: object, ifMatch: { ifMatch?: string }): Promise<unknown>;
  remove?(client: Client, id: string, ifMatch: { ifMatch?: string }): Promise<unknown>;
  /** Keys of records of the same kind that must be created before it. */
  needs?(item: Shown): string[];
  /** Whether a record stays although no file names it. */
  isKept?(existing: Existing): boolean;
};
