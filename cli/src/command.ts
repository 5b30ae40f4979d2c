import type { Client, Runtime } from '../../sdk/typescript/src/index.ts';
import type { Printer, View } from './output.ts';

/** One flag of a command. */
export type Flag = {
  about: string;
  /** The placeholder of the value in the help. A flag without a placeholder is a switch. */
  value?: string;
  isMany?: true;
  /** The accepted values. */
  oneOf?: readonly string[];
  /** A whole number within these bounds. */
  number?: readonly [min: number, max: number];
  /** A time, which commands get as an instant. A time of day alone is the last one, or the next one. */
  time?: 'last' | 'next';
  isNeeded?: true;
  /** The member of the request that it sets, as a path: `scope/devices`. */
  member?: string;
};
export type Flags = Readonly<Record<string, Flag>>;

/** The values of a command's flags. */
export type Given = {
  text(name: string): string | undefined;
  texts(name: string): string[] | undefined;
  number(name: string): number | undefined;
  has(name: string): boolean;
};

/** Everything that a command needs from the machine. Tests provide their own. */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
  readInput(): Promise<string>;
  /** Stops a command that runs until it is stopped. */
  signal: AbortSignal;
  view: View;
  /** Replaces the network and the clock in tests. */
  runtime?: Partial<Runtime>;
};

export type Context = {
  operands: readonly string[];
  flags: Given;
  terminal: Terminal;
  print: Printer;
  /** @throws UsageError if the service or the token is missing */
  client(): Client;
};

/** 0: done; 1: refused, failed or interrupted; 2: wrong usage. */
export type Status = 0 | 1 | 2;

export type Command = {
  /** One or two words. */
  name: string;
  about: string;
  /** Arguments without a flag: their name in the help, and how many are allowed. */
  operands?: { shown: string; least: number; most: number };
  flags?: Flags;
  /** It ends only when the user stops it: then that is no failure. */
  isEndless?: true;
  /** @returns whether everything was done, or the status; refusals have been printed */
  run(context: Context): Promise<boolean | Status>;
};

/** Flags that every command accepts. */
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
