// Sends one status report and one detection through a running service, and prints how long each hop took.
import { randomBytes } from 'node:crypto';
import { passwordOf } from '../local/cloud/secrets.ts';
import { ArgumentError, readArguments, readNumber, runCommand } from '../local/stack/arguments.ts';
import { type Run, readRun } from '../local/stack/run-file.ts';
import { apiAt } from './smoke/api.ts';
import { smoke } from './smoke/hops.ts';
import { type Messages, throughBroker, throughPubSub } from './smoke/messages.ts';
import { ownReceiver, type Receiver, stackReceiver } from './smoke/receipts.ts';

const usage = `npm run smoke -- [flags]

Sends a report as a camera, and follows it: alert, acknowledgement, signed webhook, its address; then takes away what it made.
Without --base it looks at the stack that runs on --data-dir. Nobody is notified: its camera is in maintenance.
Ends with 1 where a hop is broken, and names it.`;

await runCommand(async () => {
  const flags = readArguments(usage, {
    base: { type: 'string', value: 'URL', about: 'address of the service' },
    token: { type: 'string', value: 'T', about: 'bearer token of all groups; better by the variable SMOKE_TOKEN' },
    mqtt: { type: 'string', value: 'URL', about: 'the broker; its password better by the variable SMOKE_MQTT_URL' },
    topic: { type: 'string', default: 'devices/{deviceId}/{kind}', value: 'T', about: 'topic of a camera there' },
    pubsub: { type: 'string', value: 'NAME', about: 'projects/P/topics/T, past the broker, as a bridge writes' },
    webhook: { type: 'string', value: 'URL', about: 'https address that leads to --listen' },
    listen: { type: 'string', default: '8443', value: 'PORT', about: 'port on which the webhook is waited for (8443)' },
    device: {
      type: 'string',
      value: 'ID',
      about: 'camera to be, one that there is not (the account at the broker, else smoke- and chance)',
    },
    group: { type: 'string', default: 'watchpost-smoke', value: 'G', about: 'its group (watchpost-smoke)' },
    patience: { type: 'string', default: '30', value: 'SECONDS', about: 'how long each hop may take (30)' },
    'data-dir': { type: 'string', default: '.local', value: 'DIR', about: 'data directory of a local stack (.local)' },
  });
  const chance = randomBytes(4).toString('hex');
  // A broker lets an account publish only for the camera with its name.
  const account = accountOf(flags.mqtt ?? process.env['SMOKE_MQTT_URL']);
  const deviceId = flags.device ?? account ?? `smoke-${chance}`;
  const patienceMs = 1000 * readNumber('patience', flags.patience, 1, 600);
  const run = flags.base === undefined ? readRun(flags['data-dir']) : null;
  const { base, token } = run
    ? { base: run.baseUrl, token: run.token }
    : { base: flags.base ?? '', token: flags.token ?? process.env['SMOKE_TOKEN'] };
  if (!token) throw new ArgumentError('--token or SMOKE_TOKEN must hold a token.');
  if (!URL.canParse(base)) throw new ArgumentError(`--base must be an address, not "${base}".`);
  const messages = await messagesOf(run, deviceId, flags);
  const receiver = await receiverOf(run, deviceId, flags);
  try {
    const parts = { api: apiAt(base, token), messages, receiver, deviceId, groupId: flags.group, patienceMs };
    const hops = await smoke(parts, ({ name, tookMs, fault }) => {
      const took = tookMs === null ? 'not tried' : `${tookMs.toFixed(0)} ms`;
      console.log(
        `${fault === null ? '    ' : 'FAIL'} ${name.padEnd(14)}${took.padStart(10)}${fault ? `  ${fault}` : ''}`,
      );
    });
    const broken = hops.filter(({ fault }) => fault !== null);
    const totalMs = hops.reduce((sum, { tookMs }) => sum + (tookMs ?? 0), 0);
    console.log(`${hops.length} hops, ${broken.length} broken, ${(totalMs / 1000).toFixed(1)} s`);
    if (broken.length > 0) process.exitCode = 1;
  } finally {
    await Promise.all([messages.close(), receiver.close()]);
  }
});

async function messagesOf(
  run: Run | null,
  deviceId: string,
  { mqtt = process.env['SMOKE_MQTT_URL'], pubsub, topic }: { mqtt?: string; pubsub?: string; topic: string },
): Promise<Messages> {
  if (pubsub !== undefined) {
    if (!/^projects\/[^/]+\/topics\/[^/]+$/.test(pubsub))
      throw new ArgumentError(`--pubsub must be projects/P/topics/T, not "${pubsub}".`);
    return throughPubSub(pubsub);
  }
  const url = mqtt ?? (run && localUrl(run, deviceId));
  if (!url) throw new ArgumentError('--mqtt or --pubsub must say where reports go.');
  if (!/^mqtts?:/.test(url)) throw new ArgumentError('--mqtt must be an address with mqtt: or mqtts:.');
  return throughBroker(url, topic);
}

function accountOf(mqtt: string | undefined): string | null {
  return (mqtt && URL.canParse(mqtt) && decodeURIComponent(new URL(mqtt).username)) || null;
}

/** The broker of a local stack, with the account of a camera. */
function localUrl({ mqttUrl, accountsKey }: Run, deviceId: string): string {
  const url = new URL(mqttUrl);
  url.username = deviceId;
  url.password = passwordOf(accountsKey, deviceId);
  return url.href;
}

async function receiverOf(
  run: Run | null,
  hook: string,
  { webhook, listen }: { webhook?: string; listen: string },
): Promise<Receiver> {
  if (run && webhook === undefined) return stackReceiver(run, hook);
  if (!webhook?.startsWith('https://'))
    throw new ArgumentError('--webhook must be an https address that leads to --listen.');
  return ownReceiver(webhook, readNumber('listen', listen, 1, 65_535));
}
