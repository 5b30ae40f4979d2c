import { describe, expect, test } from 'vitest';
import {
  completeDetection,
  detectionRecord,
  frameOf,
  framesSince,
  isOwnFrame,
} from '../../../../shared/domain/detection/detection.ts';
import type { DetectionReport } from '../../../../shared/schema/detection/detection.ts';
import { detection } from '../../../support/records/detections.ts';

const at = '2026-11-20T10:00:00.000Z';
const report = (given: object = {}) => ({ ...detection('s-1'), ...given }) as DetectionReport;

describe('the frame of a detection', () => {
  test.each([
    ['an object of our bucket', { imageUrl: 'gs://frames/cam-1/a.jpg' }, 'cam-1/a.jpg'],
    ['the bucket alone', { imageUrl: 'gs://frames/' }, null],
    ['another bucket', { imageUrl: 'gs://frames-of-others/cam-1/a.jpg' }, null],
    ['an address', { imageUrl: 'https://cdn.example.com/a.jpg', frame: 'cam-1/a.jpg' }, null],
    ['a frame', { imageUrl: undefined, frame: 'cam-1/a.jpg' }, 'cam-1/a.jpg'],
    ['nothing', { imageUrl: undefined, frame: undefined }, null],
  ])('is named by %s', (_, given, expected) => {
    expect(frameOf(report(given), 'frames')).toBe(expected);
  });

  test.each([
    ['cam-1/a.jpg', true],
    ['cam-1/2026/11/a.jpg', true],
    ['cam-1/..a/a.jpg', true],
    ['cam-1/kök 人.jpg', true],
    ['cam-2/a.jpg', false],
    ['cam-1', false],
    ['cam-1/', false],
    ['cam-1//a.jpg', false],
    ['cam-1/./a.jpg', false],
    ['cam-1/../cam-2/a.jpg', false],
    ['cam-10/a.jpg', false],
    ['/cam-1/a.jpg', false],
    ['cam-1/%2e%2e/cam-2/a.jpg', false],
    ['cam-1/..\\cam-2/a.jpg', false],
    ['cam-1/․․/cam-2/a.jpg', false],
  ])('%s is the own one of cam-1: %s', (object, expected) => {
    expect(isOwnFrame(object, 'cam-1')).toBe(expected);
  });
});

const former = (groupId: string) => ({ groupId, from: at, to: at });
test.each([
  ['a device that was in no other group', [], null],
  ['one that was unassigned before', ['unassigned'], null],
  ['one that moved', ['north'], at],
  ['one that was unassigned between two groups', ['north', 'unassigned'], at],
])('frames of %s are looked at for their time', (_, groups, expected) => {
  const device = { groupSince: at, formerGroups: groups.map(former) };
  expect(framesSince(device, '2026-12-20T09:59:59.000Z')).toBe(expected);
  expect(framesSince(device, '2026-12-20T10:00:01.000Z')).toBeNull();
});

describe('a detection that is passed on', () => {
  const known = { deviceId: 'cam-1', name: 'Kitchen', groupId: 'north' };

  test.each([
    ['what the device record says', undefined, known, { name: 'Kitchen', groupId: 'north' }],
    ['the name of the report', { name: 'Yard' }, known, { name: 'Yard', groupId: 'north' }],
    ['never the group of the report', { groupId: 'south' }, known, { name: 'Kitchen', groupId: 'north' }],
    [
      'the group of the report where the record has none',
      { groupId: 'south' },
      { ...known, groupId: 'unassigned' },
      { name: 'Kitchen', groupId: 'south' },
    ],
    [
      'no group where nobody says one',
      {},
      { ...known, groupId: 'unassigned' },
      { name: 'Kitchen', groupId: 'unassigned' },
    ],
  ])('has %s', (_, device, record, expected) => {
    const made = completeDetection(report({ device }), record, 'https://x.example.com/a.jpg');
    expect(made.device).toEqual({ id: 'cam-1', ...expected });
    expect([made.eventType, made.imageUrl]).toEqual(['detection', 'https://x.example.com/a.jpg']);
  });

  test('has the version of the report or ours, and its time in our form', () => {
    const versions = [undefined, '7.0'].map(
      (version) => completeDetection(report({ version, timestamp: '2026-11-20T11:00:00+01:00' }), known, '').version,
    );
    expect(versions).toEqual([expect.any(String), '7.0']);
    expect(versions[0]).not.toBe('7.0');
    expect(completeDetection(report({ timestamp: '2026-11-20T11:00:00+01:00' }), known, '').timestamp).toBe(at);
  });

  test('is kept for thirty days from when it came, under its device and session', () => {
    const seen = '2026-11-19T10:00:00.000Z';
    const made = completeDetection(report({ timestamp: seen }), known, '');
    expect(detectionRecord(made, at)).toMatchObject({
      ...{ sessionId: 's-1', deviceId: 'cam-1', groupId: 'north', detectedAt: seen, receivedAt: at },
      expireAt: '2026-12-20T10:00:00.000Z',
    });
    const other = completeDetection(report({ timestamp: seen }), { ...known, deviceId: 'cam-2' }, '');
    expect(detectionRecord(other, at).detectionId).not.toBe(detectionRecord(made, at).detectionId);
    expect(detectionRecord(other, at).recordId).not.toBe(detectionRecord(made, at).recordId);
  });
});
