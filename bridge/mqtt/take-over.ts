import type { SessionEnd } from './session.ts';

const withinMs = 60_000;
const youngMs = 30_000;
const closings = 3;

/**
 * Decides whether another client took the session. With MQTT 5 a broker can say so; Mosquitto 2.0.11 does not, and MQTT 3.1.1 has no word for it: the
 * broker only closes the connection. Three connections in a minute that it closed soon after they stood are taken for it; a broker that restarts is not.
 * @returns a function that is called with each end of a connection, and when that connection stood (null: never)
 */
export function createTakeOverWatch(): (ended: SessionEnd, readyAt: number | null, endedAt: number) => boolean {
  let recent: number[] = [];
  return ({ how }, readyAt, endedAt) => {
    if (how === 'taken-over') return true;
    recent = recent.filter((at) => endedAt - at < withinMs);
    if (how === 'closed' && readyAt !== null && endedAt - readyAt < youngMs) recent.push(endedAt);
    return recent.length >= closings;
  };
}
