// A thread that runs the seeds it is sent, one after the other: a simulation takes the clock and the chance of all that runs beside it.
import { parentPort } from 'node:worker_threads';
import { type Order, runSeed } from './seeds.ts';

parentPort?.on('message', async (order: Order) => parentPort?.postMessage(await runSeed(order)));
