import { describe, expect, test } from 'vitest';
import { handoffOwner } from '../../../../shared/app/settings/handoff-owner.ts';
import { handoffsOf, shownHandoff, urlOf } from '../../../../shared/app/settings/handoffs.ts';
import type { HandoffRecord } from '../../../../shared/domain/delivery/handoff.ts';
import { emptyTeam, type TeamRecord } from '../../../../shared/domain/notify/team.ts';
import type { AppError } from '../../../../shared/errors.ts';
import type { HandoffDraft } from '../../../../shared/schema/settings/handoff.ts';
import { draftOf } from '../../../support/handoff/receivers.ts';
import { box } from '../../../support/world/secret-box.ts';

const parts = { box, judgeUrl: (url: string) => (url.includes('internal') ? 'points into our network' : null) };
const team = (...handoffs: HandoffRecord[]): TeamRecord => ({ ...emptyTeam('operations'), handoffs });
const written = (drafts: HandoffDraft[], before = team()) => handoffsOf(before, drafts, parts);
const one = (draft: HandoffDraft, before = team()) => {
  const [record] = written([draft], before);
  if (!record) throw new Error('nothing was written');
  return record;
};
const credentialOf = ({ handoffId, sealedCredential }: HandoffRecord) =>
  sealedCredential === null ? null : box.open(sealedCredential, handoffOwner('operations', handoffId));

function faultsOf(drafts: HandoffDraft[], before = team()): string[] {
  try {
    written(drafts, before);
    return [];
  } catch (error) {
    const { message, errors = [] } = error as AppError;
    expect(message).toBe(`${errors[0]?.pointer} ${errors[0]?.detail}.`);
    return errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
  }
}

const { pagerduty, servicenow, alertmanager, generic, opsgenie } = draftOf;

test('hand-offs that a request does not name stay', () => {
  const before = team(one(pagerduty));
  expect(handoffsOf(before, undefined, parts)).toBe(before.handoffs);
  expect(handoffsOf(emptyTeam('operations'), undefined, parts)).toEqual([]);
  expect(written([], before)).toEqual([]);
});

test('a new hand-off takes every severity that has a response time, and keeps its credential sealed', () => {
  const record = one(generic);
  expect(record).toMatchObject({ kind: 'generic', name: 'Other', severities: ['CRITICAL', 'ERROR', 'WARNING'] });
  expect(credentialOf(record)).toBe(generic.credential);
  expect(shownHandoff(record)).toMatchObject({ handoffId: record.handoffId, hasCredential: true, enabled: true });
  expect(JSON.stringify(shownHandoff(record))).not.toContain(record.sealedCredential ?? 'nothing');
  expect(one(generic).handoffId).toBe(record.handoffId);
  expect(one({ ...generic, name: 'A second one' }).handoffId).not.toBe(record.handoffId);
  expect(one({ ...generic, severities: ['CRITICAL'] }).severities).toEqual(['CRITICAL']);
});

test('one that is switched off is kept and shown as such', () => {
  const record = one({ ...pagerduty, enabled: false });
  expect([record.isPaused, shownHandoff(record).enabled]).toEqual([true, false]);
  expect(one({ ...pagerduty, enabled: true })).not.toHaveProperty('isPaused');
});

test('requests with one key share a rate where the product has one, and the key cannot be read from it', () => {
  const [first, same, other] = [one(pagerduty), one(pagerduty), one({ ...pagerduty, credential: 'b'.repeat(32) })];
  expect(first.paceId).toMatch(/^[\w-]{22}$/);
  expect([same.paceId === first.paceId, other.paceId === first.paceId]).toEqual([true, false]);
  expect(one(generic).paceId).toBeUndefined();
});

describe('a hand-off that is written again without its credential', () => {
  const without = ({ credential: _, ...draft }: HandoffDraft): HandoffDraft => draft;

  test('keeps it, found by its id or by its kind and name', () => {
    const record = one(pagerduty);
    const byName = one(without(pagerduty), team(record));
    expect([byName.handoffId, credentialOf(byName), byName.paceId]).toEqual([
      record.handoffId,
      pagerduty.credential,
      record.paceId,
    ]);
    const renamed = one({ ...without(pagerduty), handoffId: record.handoffId, name: 'New name' }, team(record));
    expect([renamed.handoffId, renamed.name, credentialOf(renamed)]).toEqual([
      record.handoffId,
      'New name',
      pagerduty.credential,
    ]);
  });

  test('must give it again where the address or the kind has changed', () => {
    const record = one(servicenow);
    const elsewhere = { ...without(servicenow), settings: { url: 'https://other.service-now.com', user: 'watchpost' } };
    expect(faultsOf([elsewhere], team(record))).toEqual([
      '/handoffs/0/credential is required, because the kind or the address has changed',
    ]);
    const samePlace = { ...without(servicenow), settings: { url: 'https://example.service-now.com/api', user: 'two' } };
    expect(credentialOf(one(samePlace, team(record)))).toBe(servicenow.credential);
    const otherKind = { ...without(opsgenie), handoffId: record.handoffId };
    expect(faultsOf([otherKind], team(record))).toEqual([
      '/handoffs/0/credential is required, because the kind or the address has changed',
    ]);
  });

  test('must give it where there was none and the product needs one', () => {
    expect(faultsOf([without(pagerduty)])).toEqual(['/handoffs/0/credential is required: the integration key']);
    expect(faultsOf([without(alertmanager)])).toEqual([]);
  });
});

test('its address is the public one of its product, unless another is given', () => {
  expect(urlOf({ kind: 'pagerduty', settings: {} })).toMatch(/^https:\/\/events\.pagerduty\.com\//);
  expect(urlOf({ kind: 'pagerduty', settings: { url: 'https://events.eu.pagerduty.com' } })).toBe(
    'https://events.eu.pagerduty.com',
  );
  expect(urlOf({ kind: 'generic', settings: {} })).toBe('');
});

test.each<[string, HandoffDraft[], string[]]>([
  [
    'no address',
    [{ ...generic, settings: { template: '{"id":"{{key}}"}' } }],
    ['/handoffs/0/settings/url is needed for'],
  ],
  [
    'an address that is refused',
    [{ ...pagerduty, settings: { url: 'https://internal' } }],
    ['/handoffs/0/settings/url points into our network'],
  ],
  [
    'a missing setting',
    [{ ...servicenow, settings: { url: 'https://example.service-now.com' } }],
    ['/handoffs/0/settings/user is needed for ServiceNow'],
  ],
  [
    'a setting of another kind',
    [{ ...pagerduty, settings: { user: 'x' } }],
    ['/handoffs/0/settings/user is not a setting of PagerDuty'],
  ],
  [
    'a header that nobody may set',
    [{ ...generic, settings: { ...generic.settings, header: 'Content-Length' } }],
    ['/handoffs/0/settings/header '],
  ],
  [
    'a broken template',
    [{ ...generic, settings: { ...generic.settings, template: '{' } }],
    ['/handoffs/0/settings/template '],
  ],
  [
    'a key of another form',
    [{ ...pagerduty, credential: 'short' }],
    ['/handoffs/0/credential is not a valid integration key: 32 letters and digits'],
  ],
  ['one of two', [pagerduty, { ...pagerduty, name: 'B', credential: 'short' }], ['/handoffs/1/credential is not']],
  ['the same one twice', [pagerduty, pagerduty], ['/handoffs names a hand-off twice']],
])('a hand-off with %s is refused, and the member is named', (_what, drafts, expected) => {
  const faults = faultsOf(drafts);
  expect(faults).toHaveLength(expected.length);
  for (const [index, text] of expected.entries()) expect(faults[index]).toContain(text);
});

test('the version of a credential is kept with it, ends with a credential that comes without one, and never comes alone', () => {
  const before = one({ ...pagerduty, credentialVersion: 2 });
  expect(shownHandoff(before)).toMatchObject({ credentialVersion: 2 });
  const { credential: _, ...without } = pagerduty;
  expect(shownHandoff(one({ ...without, name: before.name }, team(before)))).toMatchObject({ credentialVersion: 2 });
  expect(shownHandoff(one(pagerduty, team(before)))).not.toHaveProperty('credentialVersion');
  expect(faultsOf([{ ...without, credentialVersion: 3 }], team(before))).toEqual([
    '/handoffs/0/credentialVersion is given only together with its credential',
  ]);
});
