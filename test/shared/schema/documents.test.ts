import { expect, test } from 'vitest';
import { namedSchemas } from '../../../shared/schema/documents.ts';
import { faultsOf, type SchemaName } from '../../../shared/schema/validate.ts';
import { examples } from './examples.ts';

const wire = (document: unknown) => JSON.parse(JSON.stringify(document));

test('every named schema has examples, right and wrong', () => {
  expect(Object.keys(examples).toSorted()).toEqual(Object.keys(namedSchemas).toSorted());
});

const right = Object.entries(examples).flatMap(([name, { right: documents }]) =>
  Object.entries(documents).map(([title, document]) => [name as SchemaName, title, document] as const),
);
test.each(right)('%s accepts: %s', (name, _, document) => {
  expect(faultsOf(name, wire(document))).toEqual([]);
});

const wrong = Object.entries(examples).flatMap(([name, { wrong: documents }]) =>
  Object.entries(documents).map(
    ([title, [document, pointer]]) => [name as SchemaName, title, document, pointer] as const,
  ),
);
test.each(wrong)('%s refuses %s and names it', (name, _, document, pointer) => {
  expect(faultsOf(name, wire(document)).map((fault) => fault.pointer)).toContain(pointer);
});
