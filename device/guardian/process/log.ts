export type LogSeverity = 'INFO' | 'WARNING' | 'ERROR';

/** Writes one line per unit of work: a dotted event in the past tense and its members. Never a secret. */
export type Log = (event: string, members?: Record<string, unknown>, severity?: LogSeverity) => void;

/** A log of JSON lines. @param now present instant, ISO 8601 */
export function createLog(write: (line: string) => void, now: () => string, common: Record<string, unknown>): Log {
  return (event, members = {}, severity = 'INFO') => {
    write(`${JSON.stringify({ severity, time: now(), event, ...common, ...members })}\n`);
  };
}
