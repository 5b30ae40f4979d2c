import { startBridge } from './bridge.ts';
import { createLog } from './process/log.ts';
import { readSettings } from './settings.ts';

/** Another bridge took the session. A supervisor starts this one again. */
const takenOver = 3;
/**
 * So long the ended bridge still shows its metrics. Two bridges with one client id therefore take turns once a minute at most, whatever their
 * supervisors do.
 */
const lingerMs = 60_000;

async function main(): Promise<void> {
  const log = createLog();
  try {
    const bridge = await startBridge(readSettings(process.env), log);
    log.info('bridge.started', { port: bridge.port });
    const stop = () => void bridge.stop().then(() => process.exit(0));
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    await bridge.ended;
    setTimeout(() => process.exit(takenOver), lingerMs);
  } catch (error) {
    log.error('bridge.failed', { reason: error instanceof Error ? error.message : String(error) });
    process.exit(1);
  }
}

void main();
