import { generateKeyPair } from 'jose';
import { missingForEmulators, startEmulator } from '../../local/cloud/emulators.ts';
import { freePort } from '../support/net/free-port.ts';
import { startTestIssuer } from '../support/world/issuer.ts';
import { buildColdFunctions } from './cold/cold-functions.ts';
import { type ColdStart, type FirstAnswer, firstAnswer } from './cold/cold-process.ts';
import { median, medianAbove } from './frame/measure.ts';
import { type Bench, rowOf } from './frame/row.ts';

const rounds = { tiny: 1, quick: 3, full: 9 };
const hourSeconds = 3600;

/** P5: time from the start of a process to its first good answer, minus that of a bare Node server. Functions are as the platform builds them. */
export const measure: Bench = async ({ size }) => {
  const issuer = await startTestIssuer();
  const missing = missingForEmulators();
  const emulator = missing === null ? await startEmulator('firestore', { port: await freePort() }) : null;
  const functions = buildColdFunctions(issuer.url, emulator?.host ?? '127.0.0.1:9', size === 'full');
  try {
    const foreign = await generateKeyPair('RS256');
    const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
    const good = bearer(await issuer.token({ exp: Math.floor(Date.now() / 1000) + hourSeconds }));
    const bad = bearer(await issuer.token({}, {}, foreign.privateKey));
    const cases = {
      health: (isCompiled: boolean) => functions.of('probes', { path: '/health', status: 200 }, isCompiled),
      refused: (isCompiled: boolean) => functions.of('api', { path: '/v1/alerts', status: 401, ...bad }, isCompiled),
      list: (isCompiled: boolean) => functions.of('api', { path: '/v1/alerts', status: 200, ...good }, isCompiled),
    };
    const names = (['health', 'refused', 'list'] as const).filter((name) => name !== 'list' || emulator !== null);
    const starts = Object.fromEntries(
      names.flatMap((name) => [
        [name, cases[name](true)],
        [`${name} uncompiled`, cases[name](false)],
      ]),
    );
    const answers = await byTurns({ bare: functions.bare, empty: functions.empty, ...starts }, rounds[size]);
    return names.map((name) => row(name, answers, functions.areInstalled));
  } finally {
    functions.remove();
    await emulator?.stop();
    await issuer.stop();
  }
};

type Answers = Record<string, FirstAnswer[]>;

/** Starts each program alternately, `count` times. A first round fills the file cache and is not counted. */
async function byTurns(starts: Record<string, ColdStart>, count: number): Promise<Answers> {
  const answers: Answers = Object.fromEntries(Object.keys(starts).map((name) => [name, []]));
  for (let round = 0; round <= count; round += 1) {
    for (const [name, start] of Object.entries(starts)) {
      const answer = await firstAnswer(start);
      if (round > 0) answers[name]?.push(answer);
    }
  }
  return answers;
}

/** Goals as multiples of the time of an empty function, because the start of the platform's framework is not our time. */
const goals = {
  health: { what: 'cold start to `/health` of `probes`', goal: 1 },
  refused: { what: 'cold start to a refused token by `api`', goal: 1.3 },
  list: { what: 'cold start to a first list of alerts by `api`', goal: 4 },
};

function row(name: keyof typeof goals, answers: Answers, areInstalled: boolean) {
  const ms = (each: string) => answers[each]?.map((answer) => answer.ms) ?? [];
  const cpu = (each: string) => Math.round(median(answers[each]?.map((answer) => answer.cpuMs) ?? []));
  const above = (each: string) => Math.round(medianAbove(ms(each), ms('bare')));
  const note =
    `above a bare server's ${Math.round(median(ms('bare')))} ms, median of ${ms('bare').length}; ` +
    `CPU ${cpu(name)} ms, uncompiled ${cpu(`${name} uncompiled`)}, of the empty function ${cpu('empty')}, bare ${cpu('bare')}; ` +
    `packages ${areInstalled ? 'of its own lockfile' : 'of the repository'}`;
  const beside = [
    { name: 'an empty function of the framework', value: above('empty') },
    { name: 'without what the build compiled ahead', value: above(`${name} uncompiled`) },
  ];
  return rowOf({ id: 'P5', unit: 'ms', ours: above(name), beside, goalOf: 'ratio', note, ...goals[name] });
}
