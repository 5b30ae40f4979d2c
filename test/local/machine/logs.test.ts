import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { beginLogs, rotateLogs } from '../../../local/machine/logs.ts';

let parent: string;
let folder: string;
const read = (name: string) => readFileSync(join(parent, name), 'utf8');

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'watchpost-logs-'));
  folder = join(parent, 'logs');
  beginLogs(folder);
});
afterEach(() => rmSync(parent, { recursive: true }));

test('the logs of the run before are kept, and no older ones', () => {
  for (const run of ['first', 'second', 'third']) {
    writeFileSync(join(folder, 'api.log'), run);
    beginLogs(folder);
  }
  expect(read('logs.before/api.log')).toBe('third');
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(parent)).toEqual(['logs', 'logs.before']);
});

test('a log over 10 MB is moved aside, and the process that writes it goes on in an empty one', () => {
  const path = join(folder, 'firestore.log');
  const writer = openSync(path, 'a');
  for (const text of ['a', 'b']) {
    writeSync(writer, text.repeat(10_000_000));
    rotateLogs(folder);
    expect(statSync(path).size).toBe(10_000_000);
    writeSync(writer, 'last');
    rotateLogs(folder);
    expect(statSync(path).size).toBe(0);
    expect(read('logs/firestore.log.1')).toBe(`${text.repeat(10_000_000)}last`);
  }
  writeSync(writer, 'next');
  closeSync(writer);
  expect(read('logs/firestore.log')).toBe('next');
});

test('a log that was moved aside is not moved again', () => {
  appendFileSync(join(folder, 'api.log.1'), Buffer.alloc(10_000_001));
  rotateLogs(folder);
  expect(readdirSync(folder)).toEqual(['api.log.1']);
});
