import type { Client } from '../../../../sdk/typescript/src/index.ts';
import type { SchemaName } from '../../../../shared/schema/validate.ts';

/**
 * A record as the service shows it, or as the file contains it. In place of a credential the former has `{hidden: true}`, the latter
 * `{env: NAME}`.
 */
export type Shown = Record<string, unknown>;
export type Existing = { id: string; key: string; shown: Shown };
export type Path = readonly (string | number)[];
export type Fault = { path: Path; detail: string };

/** Finds the secret in an environment variable. Undefined: the variable is not set. */
export type Secrets = (name: string) => string | undefined;

/** A record in the version in which an answer showed it. */
export type Versioned = { id: string; etag: string | null };
export type IfMatch = { ifMatch?: string };

/** The state that the file wants for one record. */
export type Wanted = {
  /** The record before, without credentials that the service would not keep. */
  before: Shown;
  /** The record as the service will show it, to compare with `before`. */
  shown: Shown;
  /**
   * The request body that changes these members.
   * @throws Unmet if the environment lacks a secret that it needs
   */
  body(members: ReadonlySet<string>): object;
  /** A member that is changed by a request of its own. */
  rotation?: { member: string; act(client: Client, id: string, ifMatch: IfMatch): Promise<Versioned> };
};

/** A member of an item cannot become what it says. */
export class Unmet extends Error {
  readonly path: Path;
  constructor(path: Path, detail: string) {
    super(detail);
    this.path = path;
  }
}

export function missingSecret(name: string, path: Path): Unmet {
  return new Unmet(path, `needs the environment variable ${name}, which is not set`);
}

/** A name that a record contains of something else. */
export type Reference = { to: 'team' | 'schedule' | 'group'; name: string; path: Path };

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
  /** Members that a file replaces as a whole, although they are mappings. */
  wholes?: readonly string[];
  /** Members that null removes. All others always have a value. */
  removable: readonly string[];
  /** What is at fault in an item that no schema can tell, such as a secret in the file. */
  faultsOf?(item: Shown): Fault[];
  /** What exists, with what an item says. Absent: `merged` with `wholes`. */
  over?(base: Shown, item: Shown): Shown;
  /** Names in the whole record that it must contain itself. */
  faultsWithin?(whole: Shown): Fault[];
  /** The whole record in the form of its schema: with a placeholder for each secret. */
  checkable?(whole: Shown): Shown;
  list(client: Client): Promise<Existing[]>;
  get(client: Client, id: string): Promise<{ existing: Existing; etag: string | null }>;
  /** The item that describes an existing record. */
  exported(existing: Existing): Shown;
  /**
   * @param whole the existing record with what the file says
   * @throws Unmet
   */
  wanted(whole: Shown, existing: Existing | null, secrets: Secrets): Wanted;
  create(client: Client, whole: Shown, body: object): Promise<Versioned>;
  change(client: Client, id: string, body: object, ifMatch: IfMatch): Promise<Versioned>;
  remove?(client: Client, id: string, ifMatch: IfMatch): Promise<unknown>;
  references(shown: Shown): Reference[];
  /** Members that may name teams: where such a team does not exist yet, they are written after it. */
  namesTeams?: readonly string[];
  /** Whether a record is not part of the configuration: a file neither exports nor deletes it. */
  isForeign?(existing: Existing): boolean;
  /** Whether a record can no longer change: it only fits an item that says the same. */
  isOver?(existing: Existing): boolean;
  /** Whether a record always exists. */
  isPermanent?(existing: Existing): boolean;
};
