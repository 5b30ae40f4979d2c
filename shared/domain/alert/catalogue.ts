import { type AlertCode, alertCatalogue, type Category, type Severity } from '../../schema/vocabulary.ts';

/** The alert catalogue of the contract, by code. */
export const catalogue: Record<AlertCode, { severity: Severity; category: Category; title: string }> = alertCatalogue;
