import { expect, test } from 'vitest';
import { contactsFor, maySee, visibleGroups } from '../../../shared/app/bearer.ts';
import type { Scope } from '../../../shared/schema/scopes.ts';

const bearer = (groups: string[] | null, ...scopes: Scope[]) => ({
  subject: 'user:ana',
  scopes: new Set(scopes),
  groups,
});

test('a bearer sees the groups of the token, and every group only where the token is not limited', () => {
  expect(maySee(bearer(null), 'north')).toBe(true);
  expect(maySee(bearer(['north']), 'north')).toBe(true);
  expect(maySee(bearer(['north']), 'south')).toBe(false);
  expect(maySee(bearer([]), 'north')).toBe(false);
});

test('groups that are asked for are narrowed to those of the token, and never widened', () => {
  expect(visibleGroups(undefined, null)).toBeNull();
  expect(visibleGroups(undefined, ['north'])).toEqual(['north']);
  expect(visibleGroups(['north', 'south'], null)).toEqual(['north', 'south']);
  expect(visibleGroups(['north', 'south'], ['south', 'west'])).toEqual(['south']);
  expect(visibleGroups(['north'], ['south'])).toEqual([]);
  expect(visibleGroups(['north'], [])).toEqual([]);
  expect(visibleGroups([], null)).toEqual([]);
});

test('contacts are masked for a token limited to groups, unless it may read contacts', () => {
  const text = 'ana@example.com was told';
  expect(contactsFor(bearer(['north']))(text)).toBe('a…@example.com was told');
  expect(contactsFor(bearer([]))(text)).toBe('a…@example.com was told');
  expect(contactsFor(bearer(null))(text)).toBe(text);
  expect(contactsFor(bearer(['north'], 'contacts:read'))(text)).toBe(text);
  expect(contactsFor(bearer(['north'], 'settings:read'))(text)).not.toBe(text);
});
