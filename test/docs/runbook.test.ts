import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { thresholds } from '../../shared/domain/limits.ts';
import { routes } from '../../shared/schema/routes.ts';
import { sourceFiles } from '../../tools/imports.ts';

const page = readFileSync('docs/runbook.md', 'utf8');

test('every API call in the runbook exists', () => {
  const known = new Set(Object.values(routes).map(({ method, path }) => `${method.toUpperCase()} ${path}`));
  const asked = [...page.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/v1\/[^`? ]+)/g)].map(
    ([, method, path]) => `${method} ${path}`,
  );
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter((call) => !known.has(call))).toEqual([]);
});

test('the thresholds and log events of outages in the runbook are those of the code', () => {
  const [, section = ''] = /^### Outages\n([\s\S]*?)^##/m.exec(page) ?? [];
  const source = sourceFiles('.', ['shared'])
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  expect(section).toContain(`fewer than ${thresholds.leastOfPlace} cameras`);
  expect(section).toContain(`fewer than ${thresholds.darkOfSite * 100} % of them are dark`);
  expect(section).toContain(`${thresholds.darkOfWide * 100} % if it is wider`);
  const events = [...section.matchAll(/`([a-z]+\.(?!md)[a-z-]+)`/g)].map(([, event]) => event);
  expect(events).toEqual(['incident.failed']);
  expect(events.filter((event) => !source.includes(`'${event}'`))).toEqual([]);
  const titles = [...page.matchAll(/^##+ (.+)$/gm)].map(([, title]) => title);
  const named = [...section.matchAll(/\*([A-Z][a-z ]+)\*/g)].map(([, title]) => title);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((title) => !titles.includes(title))).toEqual([]);
});
