// Hosts one function under the functions framework, or one of the two floors. It reports its CPU and seeds records on request.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { memoryStore } from '../../../shared/adapters/memory/store.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { openTestAlert } from '../../support/records/alerts.ts';
import { unchangedReports } from '../../support/records/unchanged-reports.ts';
import { frames } from '../../support/world/frames.ts';
import { createTestWorld } from '../../support/world/world.ts';

/** `no-op` is a function that only answers, `raw` a server of Node alone. */
export type Hosted = 'api' | 'ingest' | 'no-op' | 'raw';
export type Question = { kind: 'cpu' } | { kind: 'seed-alerts' | 'seed-devices'; count: number };

const hosted = JSON.parse(process.argv[2] ?? '') as Hosted;
const answer = JSON.stringify({ ok: true });
const server = await host();
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.once('disconnect', () => process.exit());
process.on('message', (question: Question) => {
  answerTo(question).then(
    (said) => process.send?.(said),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function host(): Promise<Server> {
  if (hosted === 'raw') {
    return createServer((request, response) => {
      request.resume();
      request.once('end', () => response.setHeader('Content-Type', 'application/json').end(answer));
    });
  }
  if (hosted === 'no-op') http('no-op', (_, response) => void response.type('application/json').send(answer));
  else await import(`../../../functions/${hosted}/index.ts`);
  return getTestServer(hosted);
}

async function answerTo(question: Question): Promise<object> {
  const world = createTestWorld(memoryStore);
  switch (question.kind) {
    case 'cpu':
      return process.cpuUsage();
    case 'seed-alerts': {
      const ids: string[] = [];
      while (ids.length < question.count) ids.push(await openTestAlert(world));
      return ids;
    }
    case 'seed-devices': {
      const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
      for (const report of unchangedReports(question.count, 1)) await takeMessage(world, report, intake);
      return { devices: question.count };
    }
    default:
      return question satisfies never;
  }
}
