// Runs the whole service on this machine until Ctrl-C.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildMissingConsole } from './cloud/gateway/console-build.ts';
import { portNames, portsFrom } from './machine/ports.ts';
import { readArguments, readNumber, runCommand } from './stack/arguments.ts';
import type { StackOptions } from './stack/settings.ts';
import { type Stack, startStack } from './stack/stack.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const usage =
  'npm start -- [flags]\n\nRuns the whole service on this machine: emulators, broker, issuer, functions and a simulated fleet.';

function readOptions() {
  const flags = readArguments(usage, {
    cameras: { type: 'string', default: '12', value: 'N', about: 'simulated cameras (12)' },
    'port-base': { type: 'string', default: '8080', value: 'N', about: 'first port; the others follow it (8080)' },
    'data-dir': {
      type: 'string',
      default: '.local',
      value: 'DIR',
      about: 'where data, logs and keys are kept (.local)',
    },
    embedded: {
      type: 'boolean',
      default: false,
      about: 'no emulators: half the memory; state in the process and a file',
    },
    'time-scale': { type: 'string', default: '1', value: 'N', about: 'divides every waiting time of the domain (1)' },
    'no-fleet': { type: 'boolean', default: false, about: 'no simulated cameras' },
  });
  const cameras = readNumber('cameras', flags.cameras, 0, 10_000);
  return {
    cameras: flags['no-fleet'] ? 0 : cameras,
    ports: portsFrom(readNumber('port-base', flags['port-base'], 1024, 65_535 - portNames.length)),
    dataDir: flags['data-dir'],
    isEmbedded: flags.embedded,
    timeScale: readNumber('time-scale', flags['time-scale'], 1, 100_000, false),
    onProgress: (line: string) => console.log(`  ${line}`),
    onProblem: (line: string) => console.error(`${new Date().toISOString()} ${line}`),
  } satisfies StackOptions;
}

function describe({ run, ports, dataDir }: Stack): string {
  const emulated = run.isEmbedded ? ['firestore'] : [];
  const rows = [
    ['console', run.baseUrl],
    ['documentation', `${run.baseUrl}/docs/`],
    ['API', `${run.baseUrl}/v1`],
    ['probes', `${run.baseUrl}/health  ${run.baseUrl}/ready`],
    ['MQTT', `${run.mqttUrl}  ${run.mqttsUrl}`],
    ['inbox', run.inboxUrl],
    ['issuer', run.issuer],
    ['webhook receiver', `${run.receiverUrl}/any-name  (seen: ${run.receiverControlUrl}/received)`],
    ...portNames
      .filter((name) => !['gateway', 'mqtt', 'mqttTls', 'issuer', 'inbox', ...emulated].includes(name))
      .map((name) => [name, `127.0.0.1:${ports[name]}`]),
    ['data and logs', dataDir],
  ];
  const isUsual = dataDir === resolve('.local');
  const flag = isUsual ? '' : ` --data-dir ${/^[\w./-]+$/.test(dataDir) ? dataDir : `'${dataDir}'`}`;
  return `
Ready: all parts are up.

${rows.map(([name, address]) => `  ${name?.padEnd(18)}${address}`).join('\n')}

Token with every scope, for seven days:
${run.token}

In a second terminal, in this folder, list the active alerts:
  export WATCHPOST_URL=${run.baseUrl} WATCHPOST_TOKEN=$(npm run --silent token${isUsual ? '' : ` --${flag}`})
  curl -s -H "Authorization: Bearer $WATCHPOST_TOKEN" "$WATCHPOST_URL/v1/alerts?status=active"

Post each event to a receiver of yours, signed as a webhook is:
  npm run --silent cli -- listen --forward http://localhost:3000/hook

  npm run camera --${flag} --id cam-x --group north   a camera of your own, steered by hand
  npm run token --${flag} --scope "alerts:read"       another token
  npm run password --${flag} --user cam-x             the password of its account at the broker
  Ctrl-C                                   stops everything; the data stays
`;
}

await runCommand(async () => {
  const options = readOptions();
  let stack: Stack | null = null;
  let stoppingSince: number | null = null;
  const stop = async () => {
    // npm forwards Ctrl-C a second time; only a second one by a person counts.
    if (stoppingSince !== null && Date.now() - stoppingSince > 1000) process.exit(130);
    if (stoppingSince !== null) return;
    stoppingSince = Date.now();
    console.log('\nStopping ...');
    await stack?.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  console.log('Watchpost starts:');
  const built = buildMissingConsole(root, options.onProgress);
  // The data are their owner's, in all processes that start from here on. The console that is being built is everyone's.
  process.umask(0o077);
  [stack] = await Promise.all([startStack(options), built]);
  console.log(describe(stack));
});
