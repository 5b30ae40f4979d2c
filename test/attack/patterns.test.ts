import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';
import type { TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { namedSchemas, requestSchemas } from '../../shared/schema/documents.ts';
import { identifierPattern, parameterPatterns } from '../../shared/schema/routes.ts';
import { sourceFiles } from '../../tools/imports.ts';
import { score } from '../support/score/score.ts';

/** Every regular expression literal of the code, found in the syntax tree, and every pattern of a schema. */
function expressions(): RegExp[] {
  const found = new Map<string, RegExp>();
  for (const file of sourceFiles('.', ['shared', 'functions'])) {
    const { program } = parseSync(file, readFileSync(file, 'utf8'));
    new Visitor({
      Literal(node) {
        if ('regex' in node && node.regex)
          found.set(`${node.regex.pattern} ${node.regex.flags}`, new RegExp(node.regex.pattern, node.regex.flags));
      },
    }).visit(program);
  }
  const schemas: TSchema[] = Object.values({ ...namedSchemas, ...requestSchemas('body'), ...requestSchemas('query') });
  const patterns = [...Object.values(parameterPatterns), identifierPattern, ...schemas.flatMap(patternsOf)];
  // Ajv compiles patterns with the flag `u`.
  for (const pattern of patterns) found.set(`${pattern} u`, new RegExp(pattern, 'u'));
  return [...found.values()];
}

function patternsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    if (name === 'pattern' && typeof value === 'string') return [value];
    return [...(name === 'patternProperties' ? Object.keys(value) : []), ...patternsOf(value)];
  });
}

/** Texts that may cause backtracking when they are repeated: literal pieces of the expression and characters of each common class. */
function pumps({ source }: RegExp): string[] {
  const pieces = source.match(/[A-Za-z0-9:/@.,_-]{2,}/g) ?? [];
  return [
    ...new Set([
      'a',
      'A',
      '0',
      ' ',
      '.',
      '-',
      '_',
      '/',
      '\t',
      '=',
      '"',
      '%',
      '+',
      ';',
      '!',
      '\u00e9',
      'a.',
      'a-',
      '0a',
      '00:',
      ' \t',
      ...pieces,
    ]),
  ];
}

const quick = 5;

/**
 * Milliseconds for a text, the minimum of several runs, because noise of the machine only adds time. A linear expression takes well under
 * 1 ms; one with quadratic backtracking takes seconds.
 */
function millisecondsOf(expression: RegExp, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && least > quick; round += 1) {
    const startedAt = performance.now();
    expression.lastIndex = 0;
    expression.test(text);
    least = Math.min(least, performance.now() - startedAt);
    if (least > 1000) break;
  }
  return least;
}

test('no regular expression is slow on 100,000 characters that were chosen to slow it down', () => {
  const all = expressions();
  expect(all.length).toBeGreaterThan(40);
  const slow: string[] = [];
  for (const expression of all) {
    const prefixes = ['', ...(/^\^([A-Za-z0-9:/ ]+)/.exec(expression.source)?.slice(1) ?? [])];
    const texts = prefixes.flatMap((prefix) =>
      pumps(expression).flatMap((pump) => {
        const long = prefix + pump.repeat(Math.ceil(100_000 / pump.length));
        return [long, `${long}\u0000`];
      }),
    );
    const bad = texts.find((text) => millisecondsOf(expression, text) > quick);
    if (bad !== undefined) slow.push(`${expression} on ${JSON.stringify(bad.slice(0, 12))}…`);
  }
  score('S6', 'regular expressions × pumped text', all.length, slow.length);
  expect(slow).toEqual([]);
});
