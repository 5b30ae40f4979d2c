import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterAll, expect, test } from 'vitest';
import { compared, isAffected, type OsvRecord } from '../../../tools/supply/osv.ts';

const folder = mkdtempSync(join(tmpdir(), 'osv-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Events = Record<string, string>[];
/** A record as OSV exports it, of the schema 1.7 (ossf.github.io/osv-schema). */
const recordOf = (
  id: string,
  events: Events,
  more: Partial<OsvRecord> & object = {},
  name = '@scope/pkg',
  ecosystem = 'npm',
) => ({
  ...{ schema_version: '1.7.0', id, modified: '2026-10-02T00:00:00Z', published: '2026-10-01T00:00:00Z', aliases: [] },
  ...{
    summary: `About ${id}`,
    details: '',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
  },
  affected: [
    {
      package: { name, ecosystem, purl: `pkg:${ecosystem}/${name}` },
      ranges: [{ type: 'SEMVER', events }],
      database_specific: { source: 'https://example.com' },
    },
  ],
  references: [{ type: 'WEB', url: 'https://example.com' }],
  ...more,
});
const versions = (given: string[]) => ({
  affected: [{ package: { name: '@scope/pkg', ecosystem: 'npm' }, versions: given }],
});

test.each<[string, OsvRecord, boolean]>([
  ['a range that holds it', recordOf('a', [{ introduced: '0' }, { fixed: '2.0.0' }]), true],
  ['a range without an end', recordOf('a', [{ introduced: '1.5.0' }]), true],
  ['a range that ends with it', recordOf('a', [{ introduced: '0' }, { fixed: '1.5.0' }]), false],
  ['a range whose last version it is', recordOf('a', [{ introduced: '0' }, { last_affected: '1.5.0' }]), true],
  ['a range whose last version is before it', recordOf('a', [{ introduced: '0' }, { last_affected: '1.4.9' }]), false],
  ['a range that begins later', recordOf('a', [{ introduced: '1.5.1' }]), false],
  [
    'the first of two ranges',
    recordOf('a', [{ introduced: '1.0.0' }, { fixed: '1.6.0' }, { introduced: '2.0.0' }]),
    true,
  ],
  [
    'a time between two ranges',
    recordOf('a', [{ introduced: '2.0.0' }, { introduced: '0' }, { fixed: '1.4.0' }]),
    false,
  ],
  ['its version by name', recordOf('a', [], versions(['1.4.0', '1.5.0'])), true],
  ['other versions by name', recordOf('a', [], versions(['1.4.0'])), false],
  ['it, but withdrawn', recordOf('a', [{ introduced: '0' }], { withdrawn: '2026-10-03T00:00:00Z' }), false],
  ['another package', recordOf('a', [{ introduced: '0' }], {}, 'pkg'), false],
  ['another ecosystem', recordOf('a', [{ introduced: '0' }], {}, '@scope/pkg', 'PyPI'), false],
])('a record about %s', (_what, record, isAbout) => {
  expect(isAffected({ name: '@scope/pkg', version: '1.5.0' }, record)).toBe(isAbout);
});

test('versions are in the order of Semantic Versioning', () => {
  const sorted = ['0', '0.0.0-0', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2'];
  sorted.push('1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.9', '1.0.10', '1.10.0', '10.0.0');
  for (const [at, one] of sorted.entries())
    for (const [place, other] of sorted.entries()) expect(Math.sign(compared(one, other))).toBe(Math.sign(at - place));
  expect(compared('1.0.0+a', '1.0.0+b')).toBe(0);
});

test('the command finds a planted version in a bill, in a folder and in an archive, and nothing else', () => {
  const bill = join(folder, 'api.cdx.json');
  const components = [
    { group: '@scope', name: 'pkg', version: '1.5.0' },
    { name: 'safe', version: '3.0.0' },
  ];
  writeFileSync(bill, JSON.stringify({ bomFormat: 'CycloneDX', components }));
  const planted = recordOf('GHSA-aaaa-bbbb-cccc', [{ introduced: '1.0.0' }, { fixed: '1.5.1' }]);
  const others = [
    recordOf('GHSA-dddd-eeee-ffff', [{ introduced: '0' }], { withdrawn: '2026-10-03T00:00:00Z' }),
    recordOf('MAL-2026-1', [{ introduced: '0' }, { fixed: '3.0.0' }], {}, 'safe'),
  ];
  const exportOf = (name: string, records: object[]) => {
    const files = records.map((record, at) => [`${at}.json`, JSON.stringify(record)] as const);
    mkdirSync(join(folder, name));
    for (const [file, text] of files) writeFileSync(join(folder, name, file), text);
    writeFileSync(
      join(folder, `${name}.zip`),
      zipSync(Object.fromEntries(files.map(([file, text]) => [file, strToU8(text)]))),
    );
    return [join(folder, name), join(folder, `${name}.zip`)];
  };
  const run = (...given: string[]) => {
    const { status, stdout } = spawnSync(process.execPath, ['tools/osv.ts', ...given], { encoding: 'utf8' });
    return { status, lines: stdout.split('\n') };
  };
  for (const path of exportOf('all', [planted, ...others])) {
    const { status, lines } = run(path, bill);
    expect([status, lines[0], lines[1]]).toEqual([
      1,
      `@scope/pkg@1.5.0: GHSA-aaaa-bbbb-cccc About GHSA-aaaa-bbbb-cccc (${bill})`,
      '2 packages of 1 bills compared with 3 records: 1 found',
    ]);
  }
  for (const path of exportOf('clean', others)) expect(run(path, bill)).toMatchObject({ status: 0 });
  expect(run(exportOf('none', [])[0] ?? '', bill).status).toBe(2);
  expect(run(join(folder, 'gone'), bill).status).toBe(2);
});
