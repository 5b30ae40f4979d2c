import type { DriftSeverity } from '../../../shared/schema/vocabulary.ts';
import {
  type Configuration,
  type FieldName,
  type FieldValue,
  fieldNames,
  fieldOf,
  normalise,
  withDefaults,
} from './fields.ts';

/** Most severe first. */
export const severityOrder = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const satisfies readonly DriftSeverity[];

/** One protected field that differs from the golden configuration. */
export type Difference = { name: FieldName; expected: FieldValue; actual: FieldValue; severity: DriftSeverity };

/**
 * Compares a camera's configuration with the golden one, after converting types and spelling. Fields that golden does not name are not
 * compared.
 * @returns the differences, most severe first
 */
export function compare(golden: Configuration, actual: Configuration, serial: string): Difference[] {
  const filled = withDefaults(actual, serial);
  return fieldNames.flatMap((name) => {
    const wanted = golden[name];
    if (wanted === undefined) return [];
    const expected = normalise(name, wanted);
    const { severity } = fieldOf(name);
    return isSame(expected, filled[name]) ? [] : [{ name, expected, actual: filled[name], severity }];
  });
}

export function isSame(one: FieldValue | undefined, other: FieldValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The most severe of at least one difference. */
export function maxSeverity(differences: readonly Difference[]): DriftSeverity {
  return severityOrder.find((severity) => differences.some((difference) => difference.severity === severity)) ?? 'LOW';
}
