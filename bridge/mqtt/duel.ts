const withinMs = 60_000;
const youngMs = 30_000;
const closings = 3;

/**
 * MQTT 3.1.1 does not say that another client took the session: the broker only closes the connection. Three connections in a minute that it closed
 * soon after they stood are taken for it; a broker that restarts is not. Returns a function that is called with each such closing.
 */
export function createDuelWatch(): (readyAt: number, closedAt: number) => boolean {
  let recent: number[] = [];
  return (readyAt, closedAt) => {
    recent = recent.filter((at) => closedAt - at < withinMs);
    if (closedAt - readyAt < youngMs) recent.push(closedAt);
    return recent.length >= closings;
  };
}
