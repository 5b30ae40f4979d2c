import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import type { Step } from '../../tools/restore/drill.ts';
import { restoreDrillOnEmulators } from '../../tools/restore/emulators.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

describe.skipIf(missing)('a database that is lost', () => {
  test('is restored into another database with each record, its secrets can be read, and the service continues there', async () => {
    const steps: Step[] = [];
    await restoreDrillOnEmulators({ cameras: 6 }, (step) => steps.push(step));
    expect(steps.map(({ name }) => name)).toEqual(['fill', 'export', 'wipe', 'restore', 'compare', 'keys', 'switch']);
    expect(steps[0]?.what).toMatch(/^\d\d+ records in \d+ collections$/);
    expect(steps[4]?.what).toBe(`${steps[0]?.what.split(' ')[0]} records, each as it was`);
  });

  test('cannot be restored with a wrong data key, and the drill reports that', async () => {
    const copyOfKeys = () => `drill:${randomBytes(32).toString('base64')}`;
    await expect(restoreDrillOnEmulators({ cameras: 1, copyOfKeys }, () => {})).rejects.toThrow(/^keys: /);
  });
});
