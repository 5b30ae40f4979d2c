/** Writes one JSON line for an event, in the form that Cloud Logging reads. */
export type Log = Record<'info' | 'warn' | 'error', (event: string, fields?: Record<string, unknown>) => void>;

export function createLog(write: (line: string) => void = (line) => process.stdout.write(line)): Log {
  const line =
    (severity: string) =>
    (event: string, fields: Record<string, unknown> = {}) =>
      write(
        `${JSON.stringify({ severity, message: event, service: 'bridge', time: new Date().toISOString(), ...fields })}\n`,
      );
  return { info: line('INFO'), warn: line('WARNING'), error: line('ERROR') };
}
