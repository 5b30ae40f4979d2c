import { type AlertCode, alertCatalogue, alertCodes, type Category, type Severity } from '../../schema/vocabulary.ts';
import type { Waits } from '../limits.ts';

export type CatalogueRow = {
  severity: Severity;
  category: Category;
  /** Its name in a few words. */
  title: string;
  /** How long to wait before anybody is notified that the condition began, because it may end by itself. */
  notifyGrace?: keyof Waits;
  /** Nobody has to acknowledge it, so time never escalates it. */
  needsNoResponse?: boolean;
};

/** The alert catalogue of the contract, and how each code is notified. */
export const catalogue: Record<AlertCode, CatalogueRow> = {
  ...alertCatalogue,
  // A drift that heals within the grace period is normal operation.
  CFG_001: { ...alertCatalogue.CFG_001, notifyGrace: 'driftGrace' },
  // The contract calls a drift and its heal a pair, which is normal operation.
  CFG_002: { ...alertCatalogue.CFG_002, needsNoResponse: true },
};

/** What people read for a code. One of the next release is its own title. */
export function titleOf(code: AlertCode): string {
  return Object.hasOwn(catalogue, code) ? catalogue[code].title : code;
}

/** An informational alert needs no action: it is resolved when it is opened. */
export function isInformational(code: AlertCode): boolean {
  return Object.hasOwn(catalogue, code) && catalogue[code].severity === 'INFO';
}

/** Only a lost connection waits for the look and may belong to an outage. People are notified of any other alert as usual. */
export function isLoss({ code }: { code: AlertCode }): boolean {
  return code === 'CONN_001';
}

/** The codes of a category whose alerts stay open: all except the informational ones. */
export function lastingCodes(category: Category): AlertCode[] {
  return alertCodes.filter((code) => catalogue[code].category === category && !isInformational(code));
}
