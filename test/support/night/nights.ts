import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { ledger } from '../score/score.ts';
import { mostSms, type Verdict } from './judge.ts';
import type { Finding, Kind } from './letters.ts';

/** `answersAfter`: seconds after an SMS; null: nobody answers. `of`: another checkout whose service lives through it. */
export type Order = { seed: number; size: 'small' | 'full'; answersAfter: number | null; of?: string };
export type Judged = Verdict & { stats: Record<string, number>; tookSeconds: number };

/** Lives through a night in a process of its own. */
export function judgedNight({ seed, size, answersAfter, of }: Order): Promise<Judged> {
  const program = new URL('./night-program.ts', import.meta.url);
  const elsewhere = new URL('./of-other-program.ts', import.meta.url).href;
  const child = fork(program, [size, String(seed), String(answersAfter ?? 'none')], {
    execArgv: of ? ['--import', elsewhere] : [],
    env: { ...process.env, ...(of ? { NIGHT_OF: of } : {}) },
  });
  return new Promise((resolve, reject) => {
    child.once('message', (verdict) => resolve(verdict as Judged));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the night of seed ${seed} ended with ${code}`)));
  });
}

/** The failures of each goal. All are empty if the goals are reached. */
export function failuresOf({ findings, unended, untold, sms, late, lateSilences }: Verdict): Record<string, string[]> {
  return {
    false: findings.filter(({ kind }) => kind !== 'unreadable').map(lineOf),
    unreadable: findings.filter(({ kind }) => kind === 'unreadable').map(lineOf),
    unended,
    untold,
    sms: Object.entries(sms).flatMap(([who, count]) => (count > mostSms ? [`${count} SMS to ${who}`] : [])),
    late,
    lateSilences,
  };
}

function lineOf({ kind, claim, truth, to, text }: Finding): string {
  return `${kind}: "${claim}", but ${truth || 'nobody can tell what it says'}; to ${to}: ${text.replaceAll('\n', ' | ')}`;
}

/** The number of findings by kind: `3 since, 1 over`. */
export function kindsIn(findings: readonly Finding[]): string {
  const kinds = [...Map.groupBy(findings, ({ kind }) => kind)].map(([kind, own]): [Kind, number] => [kind, own.length]);
  const most = kinds.toSorted((a, b) => b[1] - a[1]);
  return most.map(([kind, count]) => `${count} ${kind}`).join(', ') || 'none';
}

/** Reports the figures of a night goal by goal, and keeps the whole verdict in `test-output`. */
export function report(order: Order, verdict: Judged): void {
  const { findings, claims, letters, unended, untold, faults, sms, late, outagesToTell, lateSilences, silencesToTell } =
    verdict;
  const answers = order.answersAfter === null ? 'no answer' : `an answer in ${order.answersAfter / 60} min`;
  const name = `${order.of ? `${order.of}: ` : ''}seed ${order.seed}, ${answers}`;
  const readable = findings.filter(({ kind }) => kind !== 'unreadable');
  const counts = Object.entries(sms);
  const texts = counts.map(([who, count]) => `${who} ${count}`).join(', ');
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  const row = (what: string, tried: number, lost: number, wrong = 0) =>
    ledger('R19', `${name}: ${what}`, { tried, lost, wrong, doubled: 0 });
  row(`claims; false: ${kindsIn(readable)}`, claims, findings.length - readable.length, readable.length);
  row('messages; openings without an end under the same name', sum(Object.values(letters)), unended.length);
  row('faults of more than 10 min; not told by mail', faults, untold.length);
  row(
    `SMS: ${texts}; phones with more than ${mostSms}`,
    sum(Object.values(sms)),
    0,
    counts.filter(([, n]) => n > mostSms).length,
  );
  row('outages of 3 or more; not on the phone in time', outagesToTell, late.length);
  row('silences; told too late', silencesToTell, lateSilences.length);
  mkdirSync('test-output', { recursive: true });
  const file = `${order.of ? 'other-' : ''}night-${order.seed}-${order.answersAfter ?? 'none'}.json`;
  writeFileSync(`test-output/${file}`, JSON.stringify(verdict, null, 1));
}
