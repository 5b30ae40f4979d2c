import { expect, test } from 'vitest';
import {
  channelsOf,
  defaultSettings,
  faultsOfSettings,
  responseSecondsOf,
} from '../../../../shared/domain/settings/settings.ts';
import type { Schedule } from '../../../../shared/schema/settings/settings.ts';
import { faultsOf } from '../../../../shared/schema/validate.ts';
import { builtInSchedules } from '../../../../shared/schema/vocabulary.ts';

const periods: Schedule['periods'] = [{ days: ['mon'], from: '08:00', to: '09:00' }];

test('what holds until somebody changes it could be sent in as it is', () => {
  expect(faultsOf('putSettingsBody', defaultSettings)).toEqual([]);
  expect(faultsOfSettings(defaultSettings)).toEqual([]);
});

test('zones must exist, that of the settings and those of schedules', () => {
  const schedules = { shop: { timeZone: 'Mars/Olympus', periods }, office: { timeZone: 'Asia/Tokyo', periods } };
  const faults = faultsOfSettings({ ...defaultSettings, timeZone: 'Atlantis', schedules });
  expect(faults.map(({ pointer }) => pointer)).toEqual(['/timeZone', '/schedules/shop/timeZone']);
});

test.each(builtInSchedules)('no schedule may hide %s', (name) => {
  const faults = faultsOfSettings({ ...defaultSettings, schedules: { [name]: { periods } } });
  expect(faults).toEqual([{ pointer: `/schedules/${name}`, detail: 'is a built-in schedule' }]);
});

test.each([
  ['CRITICAL', ['email', 'chat', 'sms', 'webhook'], 300],
  ['ERROR', ['email', 'chat', 'webhook'], 3600],
  ['WARNING', ['webhook'], 86_400],
  ['INFO', [], null],
] as const)('an alert of %s leaves on %j and is answered within %s seconds', (severity, channels, seconds) => {
  expect(channelsOf(defaultSettings, severity).toSorted()).toEqual(channels.toSorted());
  expect(responseSecondsOf(defaultSettings, severity)).toBe(seconds);
});
