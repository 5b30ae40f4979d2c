import { generateKeyPair } from 'jose';
import { startEmulator } from '../../local/cloud/emulators.ts';
import { topics } from '../../local/cloud/environment.ts';
import { connectPubSub } from '../../local/cloud/push/client.ts';
import { freePort } from '../support/net/free-port.ts';
import { message } from '../support/records/reports.ts';
import { buildColdFunctions, type ColdFunctions } from './cold/cold-functions.ts';
import { firstAnswer } from './cold/cold-process.ts';
import { interleaved, median, spreadOf } from './frame/measure.ts';
import { inAnHour, startPlatform } from './frame/platform.ts';
import { type Bench, rowOf } from './frame/row.ts';

const rounds = { tiny: 1, quick: 3, full: 9 };

/** Goals as multiples of the time of an empty function, because the start of the platform's framework is not our time. */
const starts = {
  health: { id: 'P5', what: 'cold start to `/health` of `probes`', goal: 1 },
  refused: { id: 'P5', what: 'cold start to a refused token by `api`', goal: 1.3 },
  report: { id: 'N11', what: 'cold start to the first report written by `ingest`', goal: 2.2 },
  list: { id: 'N11', what: 'cold start to a first list of alerts by `api`', goal: 3 },
  sweep: { id: 'N11', what: 'cold start to a sweep by `deadline`', goal: 3 },
};
type Name = keyof typeof starts;

/** P5 and N11: time from the start of a process to its first good answer, beside an empty function. Functions are as the platform builds them. */
export const measure: Bench = async ({ size, against }) => {
  const platform = await startPlatform();
  const { environment, store } = platform.newProject();
  const pubsub = await startEmulator('pubsub', { port: await freePort() });
  const publisher = connectPubSub(environment['GOOGLE_CLOUD_PROJECT'] ?? '', pubsub.host);
  await publisher.createTopic(topics.messages);
  await publisher.close();
  const settings = { ...environment, MESSAGES_TOPIC: topics.messages, PUBSUB_EMULATOR_HOST: pubsub.host };
  const built = [process.cwd(), ...(against === null ? [] : [against])].map((root) =>
    buildColdFunctions(root, settings, size === 'full'),
  );
  try {
    const foreign = await generateKeyPair('ES256');
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const good = bearer(await platform.issuer.token(inAnHour()));
    const bad = bearer(await platform.issuer.token(inAnHour(), {}, foreign.privateKey));
    const headers = await platform.callerHeaders();
    const cameras: string[] = [];
    const started: Record<Name, (functions: ColdFunctions) => Parameters<typeof firstAnswer>[0]> = {
      health: ({ of }) => of('probes', { request: { method: 'GET', path: '/health' }, status: 200 }),
      refused: ({ of }) => of('api', { request: { method: 'GET', path: '/v1/alerts', ...bad }, status: 401 }),
      list: ({ of }) => of('api', { request: { method: 'GET', path: '/v1/alerts', ...good }, status: 200 }),
      sweep: ({ of }) => of('deadline', { request: { method: 'POST', path: '/sweep', headers }, status: 200 }),
      report({ of }) {
        cameras.push(`cam-${cameras.length}`);
        return of('ingest', {
          request: { method: 'POST', path: '/', headers, body: pushOf(cameras.at(-1)) },
          status: 204,
        });
      },
    };
    const cpu = new Map<string, number[]>();
    const works = [...built.entries()].flatMap(([tree, functions]) =>
      [...(Object.keys(starts) as Name[]), 'empty' as const].map((name) => {
        const work = async () => {
          const answer = await firstAnswer(name === 'empty' ? functions.empty : started[name](functions));
          cpu.set(`${tree} ${name}`, [...(cpu.get(`${tree} ${name}`) ?? []), answer.cpuMs]);
          return answer.ms;
        };
        return [`${tree} ${name}`, work] as const;
      }),
    );
    const figures = await interleaved(rounds[size], Object.fromEntries(works));
    const registered = await store.count({ in: 'devices' });
    if (registered !== cameras.length) throw new Error(`${cameras.length} cameras reported, ${registered} are known`);
    const ms = (name: string) => Math.round(median(figures[name] ?? []));
    const cpuMs = (name: string) => Math.round(median(cpu.get(name) ?? []));
    return (Object.keys(starts) as Name[]).map((name) =>
      rowOf({
        ...starts[name],
        unit: 'ms',
        ours: ms(`0 ${name}`),
        beside: [
          { name: 'an empty function of the framework', value: ms('0 empty') },
          ...(against === null ? [] : [{ name: 'the other tree', value: ms(`1 ${name}`) }]),
        ],
        goalOf: 'ratio',
        note:
          `rounds ${spreadOf(figures[`0 ${name}`] ?? [])}, empty ${spreadOf(figures['0 empty'] ?? [])}; CPU ${cpuMs(`0 ${name}`)} ms, ` +
          `empty ${cpuMs('0 empty')}; packages ${built[0]?.areInstalled ? 'of its own lockfile' : 'of the repository'}`,
      }),
    );
  } finally {
    for (const each of built) each.remove();
    await pubsub.stop();
    await platform.stop();
  }
};

function pushOf(deviceId = ''): string {
  const { data, ...rest } = message('status', { memory: { usedPercent: 20 } }, { deviceId });
  const publishTime = new Date().toISOString();
  return JSON.stringify({ message: { ...rest, publishTime, data: data.toString('base64') } });
}
