import { type AlertCode, alertCatalogue, alertCodes, type Category, type Severity } from '../../schema/vocabulary.ts';
import type { Waits } from '../limits.ts';

export type CatalogueRow = {
  severity: Severity;
  category: Category;
  /** Its name in a few words. */
  title: string;
  /** The wait during which nobody is notified that it began, since it may end as it should. */
  notifyGrace?: keyof Waits;
  /** Nobody needs to answer it: it is escalated by no clock. */
  needsNoResponse?: boolean;
};

/** The alert catalogue of the contract, and how each code is notified. */
export const catalogue: Record<AlertCode, CatalogueRow> = {
  ...alertCatalogue,
  // A drift that heals within the grace is normal operation.
  CFG_001: { ...alertCatalogue.CFG_001, notifyGrace: 'driftGrace' },
  // A drift and its heal are a pair, as the contract has it: normal operation.
  CFG_002: { ...alertCatalogue.CFG_002, needsNoResponse: true },
};

/** An informational alert needs no action: it is resolved at birth. */
export function isInformational(code: AlertCode): boolean {
  return catalogue[code].severity === 'INFO';
}

/** The codes of a category that stay open until their condition ends. */
export function lastingCodes(category: Category): AlertCode[] {
  return alertCodes.filter((code) => catalogue[code].category === category && !isInformational(code));
}
