import type { Client, Runtime } from '../../sdk/typescript/src/index.ts';
import type { Printer } from './output.ts';

/** One flag of a command. */
export type Flag = {
  about: string;
  /** What stands for the value in the help; a flag without one is a switch. */
  value?: string;
  isMany?: true;
  /** The only values that it takes. */
  oneOf?: readonly string[];
  /** A whole number within these bounds. */
  number?: readonly [min: number, max: number];
};
export type Flags = Readonly<Record<string, Flag>>;

/** What was given for the flags of a command. */
export type Given = {
  text(name: string): string | undefined;
  texts(name: string): string[] | undefined;
  number(name: string): number | undefined;
  has(name: string): boolean;
};

/** What a command needs of the machine; tests bring their own. */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
  readInput(): Promise<string>;
  /** Ends a command that goes on until it is stopped. */
  signal: AbortSignal;
  /** In place of the network and the clock. */
  runtime?: Partial<Runtime>;
};

export type Context = {
  operands: readonly string[];
  flags: Given;
  terminal: Terminal;
  print: Printer;
  /** @throws UsageError where it is not said which service, or with which token */
  client(): Client;
};

export type Command = {
  /** One or two words. */
  name: string;
  about: string;
  /** What is given without a flag, as the help shows it, and how many there may be. */
  operands?: { shown: string; least: number; most: number };
  flags?: Flags;
  /** @returns whether all of it was done; what was refused has been said */
  run(context: Context): Promise<boolean>;
};

/** Flags of every command. */
export const commonFlags = {
  url: { about: 'address of the service (WATCHPOST_URL, or that of `watchpost login`)', value: 'URL' },
  'token-file': {
    about: 'file with the bearer token (WATCHPOST_TOKEN, WATCHPOST_TOKEN_FILE, or that of login)',
    value: 'FILE',
  },
  output: { about: 'how data is printed: table, json or csv (table)', value: 'FORM', oneOf: ['table', 'json', 'csv'] },
  json: { about: 'the same as --output json' },
  help: { about: 'show this' },
} as const satisfies Flags;
