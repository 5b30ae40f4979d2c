import type { Log } from '../app/ports.ts';
import { clock } from './clock.ts';
import { traceField } from './trace.ts';

/** One JSON line for each unit of work, in the form that Cloud Logging reads. Who writes a `debug` line asks first whether it is wanted. */
export function createLog(
  service: string,
  write: (line: string) => void = (line) => process.stdout.write(line),
): Log & { debug: Log['info'] } {
  const line = (severity: string) => (event: string, fields: Record<string, unknown>) =>
    write(`${JSON.stringify({ severity, message: event, service, time: clock.now(), ...traceField(), ...fields })}\n`);
  return { debug: line('DEBUG'), info: line('INFO'), warn: line('WARNING'), error: line('ERROR') };
}
