// Hosts one function under the functions framework, its floor, or a function that only answers. Reports the CPU of its whole process on request.
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { serve } from '../../../shared/adapters/http/serve.ts';
import { createLog } from '../../../shared/adapters/log.ts';
import type { Step } from '../frame/steps.ts';

/** `no-op` only answers. `floor` does the steps that it is sent. Of a function, `root` is the folder of its source. */
export type Hosted = { name: 'api' | 'deliver' | 'ingest' | 'no-op' | 'floor'; root: string };

const { name, root } = JSON.parse(process.argv[2] ?? '') as Hosted;
if (name === 'no-op') http(name, (_, response) => void response.json({ ok: true }));
else if (name === 'floor') {
  const { createFloor } = await import('./floor.ts');
  const floor = createFloor(process.env);
  // The framework as the service uses it: with its bodies and domains a floor would be dearer than what stands on it.
  serve(name, createLog(name), () => async (request, response) => {
    await floor((await json(request)) as Step[]);
    response.end('{}');
  });
} else await import(join(root, `functions/${name}/index.ts`));

const server = getTestServer(name);
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('disconnect', () => process.exit());
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ us: user + system });
});
