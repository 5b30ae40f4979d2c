// Connects one simulated camera to the running stack and steers it by commands on standard input.
import { createInterface } from 'node:readline';
import type { Log } from '../device/guardian/process/log.ts';
import { DeviceId } from '../shared/schema/common.ts';
import { wordsOf } from '../shared/schema/pattern-words.ts';
import type { Camera } from './cameras/camera.ts';
import { type CameraCommand, commandHelp, readCommand } from './cameras/commands.ts';
import { createGuardedCamera, type GuardedCamera } from './cameras/guarded-camera.ts';
import { ArgumentError, readArguments, runCommand } from './stack/arguments.ts';
import { readRun } from './stack/run-file.ts';

const usage = `npm run camera -- --id ID [flags]\n\nConnects one simulated camera. Commands on standard input:\n${commandHelp}`;

type Identity = { deviceId: string; groupId: string; name: string };

function connectTo(dataDir: string, identity: Identity, isGuarded: boolean): Promise<GuardedCamera> {
  const run = readRun(dataDir);
  const options = {
    ...identity,
    broker: { url: run.mqttsUrl, caFile: run.caFile, accountsKey: run.accountsKey },
    periodMs: run.reportPeriodMs,
    timeScale: run.timeScale,
    now: Date.now,
    random: Math.random,
    onRetry: () => console.log('connects again ...'),
    onSent: (topic: string, body: unknown) => console.log(`sent ${topic} ${JSON.stringify(body)}`),
  };
  const service = { url: run.baseUrl, issuer: run.issuer };
  const guardian = { folder: run.guardianFolder, service, isRunning: isGuarded, log };
  return createGuardedCamera(options, guardian);
}

/** Prints the guardian's log without uneventful checks. */
const log: Log = (event, members = {}, severity = 'INFO') => {
  if (event !== 'check.ended' || severity !== 'INFO') console.log(`guardian: ${event} ${JSON.stringify(members)}`);
};

async function obey(camera: Camera, line: string): Promise<void> {
  let command: CameraCommand;
  try {
    command = readCommand(line);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return;
  }
  const answer = await command(camera).catch((error: Error) => `failed: ${error.message}`);
  if (answer === false) console.log('not connected: nothing was sent ("online" connects)');
  else if (answer !== true) console.log(answer);
}

function invitation({ guardianFile, guardianEnvironment }: GuardedCamera): string {
  const variables = Object.entries(guardianEnvironment).map(([name, value]) => `${name}=${value}`);
  return `Its guardian is yours to start, in another terminal:
  ${[...variables, `npm run guardian -- --config ${guardianFile}`].join(' \\\n  ')}`;
}

await runCommand(async () => {
  process.umask(0o077);
  const flags = readArguments(usage, {
    id: { type: 'string', value: 'ID', about: 'device id, e.g. cam-1 (required)' },
    group: { type: 'string', default: 'north', value: 'GROUP', about: 'device group (north)' },
    name: { type: 'string', value: 'NAME', about: 'name of the camera (its id)' },
    'no-guardian': { type: 'boolean', default: false, about: 'leaves the camera to a guardian that you start' },
    'data-dir': { type: 'string', default: '.local', value: 'DIR', about: 'data directory of the stack (.local)' },
  });
  const pattern = String((DeviceId as { pattern?: string }).pattern);
  for (const [flag, value] of [
    ['id', flags.id ?? ''],
    ['group', flags.group],
  ] as const) {
    if (!new RegExp(pattern).test(value)) throw new ArgumentError(`--${flag} ${wordsOf(pattern)}, not "${value}".`);
  }
  const id = flags.id as string;
  const identity = { deviceId: id, groupId: flags.group, name: flags.name ?? id };
  const camera = await connectTo(flags['data-dir'], identity, !flags['no-guardian']);
  const connected = camera.connect().then(
    () => `${id} is connected`,
    ({ message }: Error) => `${id} is not connected, and tries again until it is: ${message}`,
  );
  if (flags['no-guardian']) console.log(invitation(camera));
  console.log(`${await connected}; "help" lists the commands.`);
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === 'quit') break;
    if (line.trim() !== '') await obey(camera, line);
  }
  await camera.stop();
  process.exit(0);
});
