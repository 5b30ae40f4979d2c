import { describe, expect, test } from 'vitest';
import { configurationConditions, resourceContext } from '../../../../shared/domain/alert/conditions.ts';

import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { type DriftState, noGuardianFacts } from '../../../../shared/domain/guardian/facts.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const fresh = newDevice('cam-1', at(0));
const drifted = (given: Partial<DriftState>): Device => ({
  ...fresh,
  guardian: {
    ...noGuardianFacts,
    before: { ...noGuardianFacts.before, unhealed: { fields: [], failures: 0, ...given } },
  },
});
const drift = configurationConditions.find(({ code }) => code === 'CFG_001');
const findingAt = (device: Device, seconds: number) => drift?.holds(device, at(seconds), waits, at(seconds)) ?? null;
const field = (name: string, isCritical = false, since = at(0)) => ({ name, isCritical, since });

describe('a drift', () => {
  test('of a critical field is critical at once, and names only critical fields', () => {
    const device = drifted({ fields: [field('clientId', true), field('port')] });
    expect(findingAt(device, 1)).toEqual({
      message: 'Critical configuration drift: clientId',
      context: { fields: ['clientId'], maxSeverity: 'CRITICAL' },
    });
  });

  test('of another field is critical where it is not healed within ten minutes of the first', () => {
    const device = drifted({ fields: [field('port', false, at(60)), field('topic')] });
    expect(findingAt(device, 599.999)).toBeNull();
    expect(findingAt(device, 600)).toEqual({
      message: 'Critical configuration drift: port, topic, not healed within 10 minutes',
      context: { fields: ['port', 'topic'], maxSeverity: 'HIGH', reason: 'not healed within 10 minutes' },
    });
    expect(drift?.changesAt?.(device, waits)).toEqual([at(600)]);
    expect(drift?.changesAt?.(fresh, waits)).toEqual([null]);
  });

  test('or where the guardian failed three times to heal it', () => {
    const failing = (failures: number) => findingAt(drifted({ fields: [field('port')], failures }), 1);
    expect(failing(2)).toBeNull();
    expect(failing(3)?.context).toMatchObject({ reason: 'the guardian failed 3 times to heal it' });
  });

  test.each([
    [['a', 'b', 'c', 'd', 'e'], 'a, b, c, d, e'],
    [['a', 'b', 'c', 'd', 'e', 'f'], 'a, b, c, d, e and 1 more'],
    [['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'a, b, c, d, e and 2 more'],
  ])('of %j says %s', (names, said) => {
    const finding = findingAt(drifted({ fields: names.map((name) => field(name, true)) }), 1);
    expect(finding?.message).toBe(`Critical configuration drift: ${said}`);
    expect(finding?.context['fields']).toEqual(names);
  });
});

test('the context of a resource alert has each reading that there is', () => {
  const reading = (value: number) => ({ baseLevel: 'normal', recent: [{ messageId: 'm', receivedAt: at(0), value }] });
  const withReadings = (measures: object) => resourceContext({ ...fresh, measures } as unknown as Device);
  expect(withReadings({})).toEqual({});
  expect(withReadings({ memory: reading(91) })).toEqual({ memoryUsedPercent: 91 });
  expect(withReadings({ storage: reading(12) })).toEqual({ storageFreeMegabytes: 12 });
  expect(withReadings({ memory: reading(91), storage: reading(12) })).toEqual({
    memoryUsedPercent: 91,
    storageFreeMegabytes: 12,
  });
});
