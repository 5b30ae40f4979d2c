import { expect, test } from 'vitest';
import { createLog } from '../../../shared/adapters/log.ts';
import { inTrace, traceHeader } from '../../../shared/adapters/trace.ts';

const given = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const traceId = '0af7651916cd43dd8448eb211c80319c';

test('a request in a trace has the id and flags of the trace, and its own span id', async () => {
  const both = await inTrace([given], async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return [traceHeader().traceparent ?? '', traceHeader().traceparent ?? ''];
  });
  for (const each of both) expect(each).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  expect(new Set([...both, given]).size).toBe(3);
  expect(traceHeader()).toEqual({});
});

test.each([
  undefined,
  '',
  'x',
  `${given}\r\nX-Evil: 1`,
  given.replace(traceId, '0'.repeat(32)),
  given.replace('b7ad6b7169203331', '0'.repeat(16)),
  given.toUpperCase(),
])('an invalid trace header is ignored, and without a valid one a new trace begins: %j', (wrong) => {
  expect(inTrace([wrong, given], () => traceHeader().traceparent)).toContain(traceId);
  const fresh = inTrace([wrong], () => traceHeader().traceparent);
  expect(fresh).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  expect(fresh).not.toContain(traceId);
});

test('log lines name the trace', () => {
  const lines: string[] = [];
  const log = createLog('test', (line) => lines.push(line));
  inTrace([given], () => log.info('delivery.attempted', {}));
  log.info('service.started', {});
  expect(lines.map((line) => JSON.parse(line).traceId)).toEqual([traceId, undefined]);
});
