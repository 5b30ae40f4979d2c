import { expect, test } from 'vitest';
import { circlesOf, roomOf } from '../../tools/circles.ts';
import { importsOf } from '../../tools/imports.ts';

const house = ['shared/schema'];
const imports = (files: Record<string, string>) =>
  Object.entries(files).flatMap(([file, source]) => importsOf(file, source));
const rooms = (files: Record<string, string>) =>
  imports(files).map(({ from, to }) => ({ from: roomOf(from, house), to: roomOf(to, house) }));

test('two files that import one another are a circle, also where one needs only a type', () => {
  const found = imports({
    'shared/schema/routes.ts': "import { alertRoutes } from './alert/routes.ts';",
    'shared/schema/alert/routes.ts': "import type { Route } from '../routes.ts';",
  });
  expect(circlesOf(found)).toEqual([['shared/schema/alert/routes.ts', 'shared/schema/routes.ts']]);
});

test('a longer way round is one circle, and what only leads into it is no part of it', () => {
  const found = imports({
    'shared/schema/a.ts': "import './b.ts';",
    'shared/schema/b.ts': "import './c.ts';",
    'shared/schema/c.ts': "import './a.ts';\nimport './d.ts';",
    'shared/schema/d.ts': "import 'typebox';",
    'shared/schema/e.ts': "import './a.ts';",
  });
  expect(circlesOf(found)).toEqual([['shared/schema/a.ts', 'shared/schema/b.ts', 'shared/schema/c.ts']]);
});

test('rooms can import one another where no two files do', () => {
  const files = {
    'shared/schema/alert/life.ts': "import { Channel } from '../settings/rule.ts';",
    'shared/schema/settings/team.ts': "import { AlertCode } from '../alert/alert.ts';",
  };
  expect(circlesOf(imports(files))).toEqual([]);
  expect(circlesOf(rooms(files))).toEqual([['shared/schema/alert', 'shared/schema/settings']]);
});

test('files of one room and arrows of one direction are no circle', () => {
  const files = {
    'shared/schema/alert/life.ts': "import './alert.ts';\nimport '../common.ts';",
    'shared/schema/alert/alert.ts': "import '../common.ts';",
    'shared/schema/routes.ts': "import './alert/life.ts';\nimport './common.ts';",
  };
  expect([...circlesOf(imports(files)), ...circlesOf(rooms(files))]).toEqual([]);
});
