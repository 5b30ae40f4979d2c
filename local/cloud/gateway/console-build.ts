import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Builds the console and the documentation beside it if they were never built, so that the first start can show it. A
 * failure only prints a line, because everything else works without it.
 */
export async function buildMissingConsole(root: string, onProgress: (line: string) => void): Promise<void> {
  const last = join(root, 'console', 'dist', 'docs', 'index.html');
  if (existsSync(last)) return;
  const child = spawn(process.execPath, [join('tools', 'build-console.ts')], { cwd: root, stdio: 'ignore' });
  const code = await new Promise((resolve) => {
    child.once('error', resolve);
    child.once('exit', resolve);
  });
  onProgress(code === 0 ? 'the console is built' : 'the console was not built: see `npm run build`');
}
