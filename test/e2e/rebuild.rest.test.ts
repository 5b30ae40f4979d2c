import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildInto } from '../support/stack/built-function.ts';

test('a second build in another time zone gives the same bytes', { timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-rebuild-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  buildInto(join(folder, 'first'), { TZ: 'Pacific/Kiritimati' });
  buildInto(join(folder, 'second'), { TZ: 'America/St_Johns' });
  const files = readdirSync(join(folder, 'first'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(zip|cjs)$/.test(file),
  );
  expect(files.length).toBeGreaterThan(5);
  const differing = files.filter((file) => {
    const [first, second] = ['first', 'second'].map((out) => readFileSync(join(folder, out, file)));
    return !(first && second?.equals(first));
  });
  expect(differing).toEqual([]);
});
