/** One block of a stream of Server-Sent Events. `data` is null if the block only moves the position or sets the reconnection time. */
export type ServerSentEvent = { id: string | null; event: string; data: string | null; retryMs: number | null };

/** Maximum number of characters in an unfinished block. A block without an end must not fill the memory. */
const longestBlock = 4 * 1024 * 1024;

/**
 * Reads Server-Sent Events from text in pieces of any size. The returned function throws an Error if an event gets too
 * long.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export function createEventReader(): (piece: string) => ServerSentEvent[] {
  let rest = '';
  return (piece) => {
    rest += piece;
    // A carriage return at the end may be the first half of a line break.
    const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest;
    const blocks = whole.replaceAll(/\r\n?/g, '\n').split('\n\n');
    rest = (blocks.pop() ?? '') + (rest.endsWith('\r') ? '\r' : '');
    if (rest.length > longestBlock) throw new Error('The stream sends an event that does not end.');
    return blocks.flatMap(eventOf);
  };
}

function eventOf(block: string): ServerSentEvent[] {
  const found: ServerSentEvent = { id: null, event: 'message', data: null, retryMs: null };
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === 'id' && !value.includes('\0')) found.id = value;
    else if (name === 'event') found.event = value;
    else if (name === 'data') found.data = found.data === null ? value : `${found.data}\n${value}`;
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) found.retryMs = Number(value);
  }
  return found.id === null && found.data === null && found.retryMs === null ? [] : [found];
}
