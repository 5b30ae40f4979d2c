// Loaded before a program (`node --import`): kills the process with SIGKILL right before file system call number `KILL_AT_CALL`.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const killAt = Number(process.env['KILL_AT_CALL']);
let calls = 0;

for (const name of ['openSync', 'writeFileSync', 'fsyncSync', 'closeSync', 'renameSync', 'rmSync'] as const) {
  const original = fs[name] as (...args: unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      calls += 1;
      if (calls === killAt) process.kill(process.pid, 'SIGKILL');
      return original(...args);
    },
  });
}
syncBuiltinESMExports();
process.on('exit', () => process.stdout.write(`calls ${calls}\n`));
