import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Listed } from '../../test/bench/frame/list.ts';
import type { Bench, Row } from '../../test/bench/frame/row.ts';

export type Outcome = { rows: Row[]; failure: string | null };

const program = join(import.meta.dirname, '../../test/bench/frame/bench-program.ts');
/** Time between asking a bench to end and killing it. */
const graceMs = 5000;

/**
 * Runs one file of benches in its own process, so that heap and compiled code do not carry over. A bench that takes too long is stopped.
 */
export async function runBench(
  { file, ids, timeoutSeconds }: Listed,
  { size, hasPeers, against }: Parameters<Bench>[0],
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-bench-'));
  const out = join(folder, 'rows.json');
  const child = spawn(process.execPath, [program, file, size, hasPeers ? 'peers' : 'floors', out, against ?? ''], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, METADATA_SERVER_DETECTION: 'none' },
    // Its own process group, so that the processes it started are stopped with it.
    detached: true,
  });
  let isCalledOff = false;
  const stop = () => stopGroup(child);
  const callOff = () => {
    isCalledOff = true;
    stop();
  };
  process.once('SIGINT', callOff).once('SIGTERM', callOff);
  const timer = setTimeout(stop, timeoutSeconds * 1000);
  const code = await new Promise<number | null>((resolve) =>
    child.once('close', resolve).once('error', () => resolve(null)),
  );
  clearTimeout(timer);
  process.off('SIGINT', callOff).off('SIGTERM', callOff);
  signalGroup(child, 'SIGKILL');
  if (isCalledOff) process.exit(130);
  const name = `${ids.join(', ')} (${file})`;
  try {
    if (code !== 0)
      return { rows: [], failure: `${name} ended with ${code ?? 'a signal'}, at most ${timeoutSeconds} s` };
    return { rows: JSON.parse(readFileSync(out, 'utf8')) as Row[], failure: null };
  } catch (error) {
    return { rows: [], failure: `${name} left no rows: ${error}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function stopGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs).unref();
}

/** A group that has already ended is no fault. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {}
}
