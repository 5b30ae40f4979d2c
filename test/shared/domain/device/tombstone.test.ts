import { describe, expect, test } from 'vitest';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import {
  erasedTombstoneOf,
  reborn,
  registeredBy,
  type Tombstone,
  tombstoneOf,
} from '../../../../shared/domain/device/tombstone.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { report } from '../../../support/records/reports.ts';
import { guardianAlert } from '../../../support/records/stories.ts';
import { at } from '../../../support/world/timeline.ts';

const day = 86_400_000;
const device: Device = {
  ...newDevice('cam-1', at(0)),
  ...{ groupId: 'north', name: 'Gate', site: 'yard', tags: { floor: '2' }, coverage: ['door'], version: 7 },
  parents: [{ kind: 'switch', id: 'sw' }],
  reporting: { periodSeconds: 30 },
};
const byPeople = {
  ...{ site: 'yard', parents: device.parents, tags: { floor: '2' }, coverage: ['door'] },
  reporting: { periodSeconds: 30 },
};

describe('of a device that is decommissioned', () => {
  test.each<[Device['setByHand'], object]>([
    [[], {}],
    [['name'], { name: 'Gate' }],
    [['groupId'], { groupId: 'north' }],
    [['groupId', 'name'], { groupId: 'north', name: 'Gate' }],
  ])('what people set is kept, with %j by hand', (setByHand, names) => {
    const tombstone = tombstoneOf({ ...device, setByHand }, at(100));
    expect(tombstone).toEqual({
      ...{ deviceId: 'cam-1', groupId: 'north', deletedAt: at(100), version: 7 },
      kept: { ...byPeople, setByHand, ...names },
      expireAt: plus(at(100), 400 * day),
    });
  });

  test('nothing but its group and the fact are kept where it is erased', () => {
    const plain = tombstoneOf(device, at(100));
    expect(erasedTombstoneOf({ ...device, setByHand: ['name'] }, at(100))).toEqual({
      ...plain,
      kept: { setByHand: [], site: null, parents: [], tags: {}, coverage: [], reporting: null },
      isErased: true,
    });
  });

  test('what was kept returns with it, and its versions go on', () => {
    const tombstone = tombstoneOf({ ...device, setByHand: ['name'] }, at(100));
    const fresh = newDevice('cam-1', at(200));
    expect(reborn(fresh, tombstone)).toEqual({
      ...fresh,
      ...byPeople,
      setByHand: ['name'],
      name: 'Gate',
      version: 7,
    });
  });
});

describe('a report of a device that is not registered', () => {
  const birth = (seconds: number) => report('connection', { status: 'online' }, seconds);
  const fresh = (seconds: number) => newDevice('cam-1', at(seconds));

  test.each([
    ['a status', report('status', {}, 5), true],
    ['a birth message', birth(5), true],
    ['a last will', report('connection', { status: 'offline' }, 5), false],
    ['an event', report('event', { type: 'reboot', timestamp: at(5) }, 5), true],
    ['a detection', report('detection', {} as never, 5), true],
    ['an alert of its guardian', report('guardian', guardianAlert('drift', ['port'], at(5)), 5), true],
    ['a status that the broker had kept', report('status', {}, 5, { isLeftover: true }), false],
    ['a birth message that the broker had kept', { ...birth(5), isLeftover: true }, false],
  ])('registers it where it is %s: %#', (_, given, isRegistered) => {
    expect(registeredBy(given, null)).toEqual(isRegistered ? fresh(5) : null);
  });

  const tombstone: Tombstone = tombstoneOf({ ...device, setByHand: ['name'] }, at(0));

  test.each([
    ['a status a minute after the removal', report('status', {}, 60), true],
    ['a status one millisecond earlier', report('status', {}, 59.999), false],
    ['a birth message a minute after it', birth(60), true],
    ['an event', report('event', { type: 'reboot', timestamp: at(90) }, 90), false],
    ['a detection', report('detection', {} as never, 90), false],
    ['a last will', report('connection', { status: 'offline' }, 90), false],
    ['a status that was made at the removal', report('status', { timestamp: at(0) }, 90), false],
    ['a status that was made just after it', report('status', { timestamp: at(0.001) }, 90), true],
    ['a status that was made before it', report('status', { timestamp: at(-5) }, 90), false],
  ])('brings a decommissioned one back where it is %s', (_, given, isBack) => {
    const expected = { ...newDevice('cam-1', given.receivedAt), ...tombstone.kept, version: 7 };
    expect(registeredBy(given, tombstone)).toEqual(isBack ? expected : null);
  });

  test('never brings back one that was erased', () => {
    expect(registeredBy(report('status', {}, 9000), erasedTombstoneOf(device, at(0)))).toBeNull();
  });
});
