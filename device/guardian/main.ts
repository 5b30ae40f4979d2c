import { parseArgs } from 'node:util';
import { checkWay, enrol, makeKey, serviceOf } from './identity/commands.ts';
import { createLog } from './process/log.ts';
import { compareOnce, startGuardian } from './run.ts';
import { readSettings } from './settings/settings.ts';

const usage = `Watches a camera's MQTT configuration and restores the golden one.

  npm run guardian -- --config guardian.json [--once | --enrol | --check] [--api URL]

  --config FILE  configuration of the guardian (docs/guardian.md)
  --once         compare once and change nothing: exit 0 when the camera matches, 1 when it differs, 2 when it cannot be read
  --enrol        create the guardian's key unless it exists, and print its public key; with --api and WATCHPOST_TOKEN it is registered too
  --check        publish one signed message and wait until the API shows it: exit 0 when it does (--api and WATCHPOST_TOKEN)
  --api URL      address of the service's API
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
      enrol: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      api: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  if (values.config === undefined) throw new Error('--config FILE is missing; --help shows how to call the guardian.');
  if (values.enrol) makeKey(values.config);
  const settings = readSettings(values.config, process.env);
  if (values.enrol || values.check) {
    const service = serviceOf(values.api, process.env);
    const line = values.enrol ? await enrol(settings, service) : await checkWay(settings, service);
    process.stdout.write(`${line}\n`);
    return;
  }
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
