// Names each alert code of the vocabulary that nothing opens, and each measure that no condition reads. People could otherwise write rules for
// alerts that never come.
import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';
import { isInformational } from '../shared/domain/alert/catalogue.ts';
import { conditions } from '../shared/domain/alert/conditions.ts';
import { alertCodes, measureNames } from '../shared/schema/vocabulary.ts';
import { sourceFiles } from './imports.ts';

/** The texts that a file gives to a member `code`. A comment, a type or a comparison that names a code opens no alert. */
export function codesGiven(file: string, source: string): string[] {
  const found: string[] = [];
  new Visitor({
    Property({ key, value: given }) {
      const value = given.type === 'TSAsExpression' ? given.expression : given;
      const isCode = key.type === 'Identifier' && key.name === 'code';
      if (isCode && value.type === 'Literal' && typeof value.value === 'string') found.push(value.value);
    },
  }).visit(parseSync(file, source).program);
  return found;
}

/** The faults of the catalogue. `given`: the codes of informational alerts, which no condition opens. */
export function faultsOf(
  codes: readonly (typeof alertCodes)[number][],
  opened: readonly { code: string; fact?: string }[],
  given: ReadonlySet<string>,
): string[] {
  const unknown = codes.filter((code) => !(isInformational(code) ? given : conditionCodes(opened)).has(code));
  const unread = measureNames.filter((name) => !opened.some(({ fact }) => fact === name));
  return [
    ...unknown.map((code) => `${code}: no condition in shared/domain/alert/conditions.ts opens it`),
    ...unread.map((name) => `the measure ${name}: no condition in shared/domain/alert/conditions.ts reads it`),
  ];
}

function conditionCodes(opened: readonly { code: string }[]): Set<string> {
  return new Set(opened.map(({ code }) => code));
}

if (import.meta.main) {
  const files = sourceFiles('.', ['shared/domain']);
  const given = new Set(files.flatMap((file) => codesGiven(file, readFileSync(file, 'utf8'))));
  const faults = faultsOf(alertCodes, conditions, given);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 || given.size === 0 ? 1 : 0;
}
