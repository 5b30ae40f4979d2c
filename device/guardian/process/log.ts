export type LogSeverity = 'INFO' | 'WARNING' | 'ERROR';

/** Writes one line for one unit of work: a dotted event in the past tense, with what it is about. Never a secret. */
export type Log = (event: string, members?: Record<string, unknown>, severity?: LogSeverity) => void;

/** A log of JSON lines. @param now present instant, ISO 8601 */
export function createLog(write: (line: string) => void, now: () => string, common: Record<string, unknown>): Log {
  return (event, members = {}, severity = 'INFO') => {
    write(`${JSON.stringify({ severity, time: now(), event, ...common, ...members })}\n`);
  };
}
