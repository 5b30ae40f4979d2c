import { expect, test } from 'vitest';
import { createRunner } from '../../../../local/cloud/tasks/runner.ts';
import { defaultQueueSettings } from '../../../../local/cloud/tasks/settings.ts';
import type { Task } from '../../../../local/cloud/tasks/task.ts';

test('a clock that goes back two hours takes no task away from the queue', async () => {
  let nowMs = Date.parse('2026-11-24T12:00:00Z');
  const started: Task[] = [];
  const runner = createRunner({
    now: () => nowMs,
    settings: () => defaultQueueSettings,
    isPaused: () => false,
    attempt: async (task) => void started.push(task),
  });
  const offer = () => runner.offer({} as Task);
  offer();
  nowMs -= 2 * 3600_000;
  offer();
  expect(started).toHaveLength(2);
  runner.close();
});
