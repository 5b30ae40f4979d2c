// Connects one simulated camera to the running stack and steers it by commands on standard input.
import { createInterface } from 'node:readline';
import { DeviceId } from '../shared/schema/common.ts';
import { ArgumentError, readArguments, runCommand } from './arguments.ts';
import { type CameraCommand, commandHelp, readCommand } from './camera-commands.ts';
import { type Camera, createCamera } from './fleet/camera.ts';
import { readRun } from './run-file.ts';

const usage = `npm run camera -- --id ID [flags]\n\nConnects one simulated camera. Commands on standard input:\n${commandHelp}`;

function connectTo(dataDir: string, deviceId: string, groupId: string, name: string): Camera {
  const run = readRun(dataDir);
  return createCamera({
    mqttUrl: run.mqttUrl,
    deviceId,
    groupId,
    name,
    periodMs: run.reportPeriodMs,
    timeScale: run.timeScale,
    now: Date.now,
    random: Math.random,
    onSent: (topic, body) => console.log(`sent ${topic} ${JSON.stringify(body)}`),
  });
}

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

await runCommand(async () => {
  const flags = readArguments(usage, {
    id: { type: 'string', value: 'ID', about: 'device id, e.g. cam-1 (required)' },
    group: { type: 'string', default: 'north', value: 'GROUP', about: 'device group (north)' },
    name: { type: 'string', value: 'NAME', about: 'name of the camera (its id)' },
    'data-dir': { type: 'string', default: '.local', value: 'DIR', about: 'data directory of the stack (.local)' },
  });
  const pattern = new RegExp(String((DeviceId as { pattern?: string }).pattern));
  for (const [flag, value] of [
    ['id', flags.id ?? ''],
    ['group', flags.group],
  ] as const) {
    if (!pattern.test(value)) throw new ArgumentError(`--${flag} must fit ${pattern.source}, not "${value}".`);
  }
  const id = flags.id as string;
  const camera = connectTo(flags['data-dir'], id, flags.group, flags.name ?? id);
  await camera.connect();
  console.log(`${id} is connected; "help" lists the commands.`);
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === 'quit') break;
    if (line.trim() !== '') await obey(camera, line);
  }
  await camera.stop();
  process.exit(0);
});
