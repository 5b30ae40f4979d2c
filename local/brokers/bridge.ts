import { startBridge } from '../../bridge/bridge.ts';
import { createLog } from '../../bridge/process/log.ts';
import { readSettings } from '../../bridge/settings.ts';

/**
 * The bridge, with these settings. Where another bridge takes its session, the process ends, as everywhere, and the stack starts it again.
 */
export async function startLocalBridge(environment: Record<string, string>): Promise<{ stop(): Promise<void> }> {
  const bridge = await startBridge(readSettings(environment), createLog());
  void bridge.ended.then(() => process.exit(1));
  return bridge;
}
