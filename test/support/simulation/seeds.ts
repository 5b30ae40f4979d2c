import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Checked, check } from './checker.ts';
import { simulate } from './simulation.ts';

/** The result of one run. */
export type Outcome = Checked & { seed: number; kills: number };
export type Order = { seed: number; events: number };

const minute = 60_000;

/** Runs one story and checks it. `trace` is called with each step. */
export async function runSeed({ seed, events }: Order, trace?: (line: string) => void): Promise<Outcome> {
  const run = await simulate({ seed, events, ...(trace ? { trace } : {}) });
  return { ...(await check(run)), seed, kills: run.kills };
}

/** Runs many seeds, one per core at a time, and prints progress each minute and all results. */
export async function runSeeds(seeds: readonly number[], events: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const startedAt = Date.now();
  const progress = setInterval(() => {
    const amiss = outcomes.flatMap(amissIn).length;
    const minutes = Math.round((Date.now() - startedAt) / minute);
    process.stderr.write(
      `${outcomes.length} of ${seeds.length} seeds of ${events} events after ${minutes} min, ${amiss} amiss\n`,
    );
  }, minute);
  const queue = seeds.values();
  const lane = async () => {
    const worker = new Worker(join(import.meta.dirname, 'seed-program.ts'), { execArgv: [] });
    try {
      for (const seed of queue) {
        const outcome = await ask(worker, { seed, events });
        outcomes.push(outcome);
        const amiss = amissIn(outcome);
        process.stderr.write(`seed ${seed}: ${outcome.tried} tried, ${amiss.length} amiss\n`);
        for (const what of amiss) process.stderr.write(`seed ${seed}: ${what}\n`);
      }
    } finally {
      await worker.terminate();
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(availableParallelism(), seeds.length) }, lane));
  } finally {
    clearInterval(progress);
  }
  return outcomes.toSorted((a, b) => a.seed - b.seed);
}

/** The findings as lines. */
export function amissIn(outcome: Outcome): string[] {
  return (['lost', 'wrong', 'doubled'] as const).flatMap((kind) => outcome[kind].map((what) => `${kind} ${what}`));
}

function ask(worker: Worker, order: Order): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (outcome: Outcome) => {
      worker.off('error', reject);
      resolve(outcome);
    });
    worker.postMessage(order);
  });
}
