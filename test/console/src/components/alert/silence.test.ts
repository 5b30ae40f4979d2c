import { expect, test } from 'vitest';
import { silenceOf } from '../../../../../console/src/components/alert/silence.ts';
import type { Alert } from '../../../../../shared/schema/alert/alert.ts';

type Explained = Parameters<typeof silenceOf>[1];
const alert = { status: 'active', resolved: false, respondBy: '2026-11-20T10:00:00.000Z' } as Alert;
const notified = { at: '', because: 'open', channel: 'email', team: 'operations', target: 'o@…', how: 'sent' } as const;
const heard: Explained = {
  ...{ channels: ['email'], channelsBy: 'matrix', rules: [], notNotified: [] },
  notified: [{ ...notified, deliveryId: null, deliveryStatus: null, resent: [] }],
};
const noContact = { at: '', because: 'open', channel: null, team: 'operations', reason: 'no-contact' } as const;

test('an alert with a notified person, or that is resolved, is not shown as silent', () => {
  expect(silenceOf(alert, heard)).toBeNull();
  expect(silenceOf({ ...alert, resolved: true }, { ...heard, channelsBy: 'suppressed', channels: [] })).toBeNull();
});

test.each([
  [{}, { channelsBy: 'suppressed', rules: [{ ruleId: 'r', name: 'Quiet' }] }, 'suppressed by the rule “Quiet”'],
  [{}, { channels: [], channelsBy: 'rules' }, 'the rules for it leave no channel'],
  [{}, { channels: [] }, 'the settings name no channel'],
  [
    {},
    { notified: [], notNotified: [{ ...noContact, detail: 'operations has no contact' }] },
    'operations has no contact',
  ],
  [{ maintenance: 'window', respondBy: null }, {}, 'A maintenance window keeps it quiet'],
  [{ snoozedUntil: 'later', respondBy: null }, {}, 'It is snoozed'],
] as const)('%o with %o: %s', (changes, explained, text) => {
  expect(silenceOf({ ...alert, ...changes } as Alert, { ...heard, ...explained } as unknown as Explained)).toContain(
    text,
  );
});
