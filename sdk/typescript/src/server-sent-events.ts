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
    setField(found, name, value);
  }
  return found.id === null && found.data === null && found.retryMs === null ? [] : [found];
}

/** A field with another name, or with a value that its name does not allow, means nothing. */
function setField(event: ServerSentEvent, name: string, value: string): void {
  switch (name) {
    case 'id':
      if (!value.includes('\0')) event.id = value;
      break;
    case 'event':
      event.event = value;
      break;
    case 'data':
      event.data = event.data === null ? value : `${event.data}\n${value}`;
      break;
    case 'retry':
      if (/^\d{1,9}$/.test(value)) event.retryMs = Number(value);
  }
}
