// Creates tasks in the journal `argv[2]` until the disk is full, ends one, creates one more when there is room again, and prints the names of all that
// were accepted. A limit of the size of files stands for the disk.
import { execFileSync } from 'node:child_process';
import { openJournal } from '../../../local/cloud/tasks/journal.ts';
import type { Task } from '../../../local/cloud/tasks/task.ts';

const journal = openJournal(process.argv[2] ?? '', Date.now());
const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`]);
const accepted: string[] = [];
const create = (name: string) => {
  const request = { url: 'http://127.0.0.1/', method: 'POST', headers: {}, body: Buffer.from('{}') };
  const task: Task = {
    name,
    createdAt: 0,
    scheduledAt: 0,
    dispatchDeadlineMs: 0,
    request,
    dispatchCount: 0,
    responseCount: 0,
  };
  journal.created(task);
  accepted.push(name);
};
limit('2000');
try {
  for (let count = 0; ; count += 1) create(`queue/tasks/${count}`);
} catch {
  journal.ended('queue/tasks/0', Date.now());
}
limit('unlimited');
create('queue/tasks/later');
console.log(JSON.stringify(accepted));
