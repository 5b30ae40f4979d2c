import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';

/**
 * The description of a service inside the package of its client, which does not export it.
 * @param place the folder `protos`, seen from the package's entry
 * @param file the description in it
 */
export function loadService(
  packageName: string,
  place: string,
  service: string,
  file = 'protos.json',
): ServiceDefinition {
  const entry = createRequire(import.meta.url).resolve(packageName);
  const description = JSON.parse(readFileSync(join(entry, place, file), 'utf8'));
  const loaded = fromJSON(description, { longs: String, enums: String, defaults: true, oneofs: true });
  return loaded[service] as ServiceDefinition;
}

/** Listens on 127.0.0.1. Port 0 chooses a free one. @returns the port */
export function bindServer(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
}
