// A worker thread that runs seeds one at a time: a simulation replaces the clock and randomness of its thread.
import { parentPort } from 'node:worker_threads';
import { type Order, runSeed } from './seeds.ts';

parentPort?.on('message', async (order: Order) => parentPort?.postMessage(await runSeed(order)));
