import { parseArgs } from 'node:util';
import { createLog } from './process/log.ts';
import { compareOnce, startGuardian } from './run.ts';
import { readSettings } from './settings/settings.ts';

const usage = `Watches a camera's MQTT configuration and restores the golden one.

  npm run guardian -- --config guardian.json [--once]

  --config FILE  configuration of the guardian (docs/guardian.md)
  --once         compare once and change nothing: exit 0 when the camera matches, 1 when it differs, 2 when that cannot be told
  --help         this text

Environment: GUARDIAN_USERNAME and GUARDIAN_PASSWORD for the camera's management interface, GUARDIAN_CLIENT_PASSWORD for the camera's
own MQTT client, GUARDIAN_BROKER_USERNAME and GUARDIAN_BROKER_PASSWORD for the guardian's connection to the broker.
`;

const misuse = 2;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      config: { type: 'string' },
      once: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  if (values.config === undefined) throw new Error('--config FILE is missing; --help shows how to call the guardian.');
  const settings = readSettings(values.config, process.env);
  if (values.once) {
    const { differences, isConnected } = await compareOnce(settings);
    process.stdout.write(`${JSON.stringify({ matches: differences.length === 0, isConnected, differences })}\n`);
    process.exitCode = differences.length === 0 ? 0 : 1;
    return;
  }
  const log = createLog(
    (line) => process.stdout.write(line),
    () => new Date().toISOString(),
    { deviceId: settings.device.id },
  );
  const guardian = startGuardian(settings, log);
  const stop = () => guardian.stop().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = misuse;
});
