import type { Client } from '../../../sdk/typescript/src/index.ts';
import type { SchemaName } from '../../../shared/schema/validate.ts';

/** What a record of the service is: its members as a file has them, secrets hidden. */
export type Shown = Record<string, unknown>;
export type Existing = { id: string; key: string; shown: Shown };

/** Where secrets come from. @throws Fault where there is none of that name */
export type Secrets = (name: string) => string | undefined;

/** What the file wants of one record, seen from what there is of it. */
export type Wanted = {
  /** As the service will show it: compared with what it shows now. */
  shown: Shown;
  /** What is sent to bring that about. @throws MissingSecret */
  body: () => object;
};

/** A secret is needed that the environment does not hold. */
export class MissingSecret extends Error {
  readonly path: readonly (string | number)[];
  constructor(name: string, path: readonly (string | number)[]) {
    super(`needs the environment variable ${name}, which is not set`);
    this.path = path;
  }
}

/** One kind of record that a file can hold. */
export type Kind = {
  /** The section of the file; one record, or a list of them. */
  section: string;
  isSingle?: true;
  /** What names a record to people, and the member that tells two of one name apart. */
  key: string;
  id?: string;
  schema: SchemaName;
  /** The item as its schema has it: without what only the file knows, and with something in place of each secret. */
  checkable(item: Shown): { body: Shown; faults: { path: (string | number)[]; detail: string }[] };
  list(client: Client): Promise<Existing[]>;
  get(client: Client, id: string): Promise<{ existing: Existing; etag: string | null }>;
  /** What a file says of a record. */
  exported(existing: Existing): Shown;
  wanted(item: Shown, existing: Existing | null, secrets: Secrets): Wanted;
  create(client: Client, item: Shown, body: object): Promise<unknown>;
  change(client: Client, id: string, body: object, ifMatch: { ifMatch?: string }): Promise<unknown>;
  remove?(client: Client, id: string, ifMatch: { ifMatch?: string }): Promise<unknown>;
  /** Keys of others of its kind that must be there before it. */
  needs?(item: Shown): string[];
  /** A record that stays though no file names it. */
  isKept?(existing: Existing): boolean;
};
