/**
 * Acknowledges messages in the order in which they were received, whichever is done first (MQTT 5, 4.6.0). One object serves one connection.
 * `received` adds a message, null for one that needs no acknowledgement; the returned function is called when it is done.
 */
export function createAckOrder(acknowledge: (messageId: number) => void): {
  received(messageId: number | null): () => void;
} {
  const waiting: { messageId: number | null; isDone: boolean }[] = [];
  let first = 0;
  const release = () => {
    for (let next = waiting[first]; next?.isDone; next = waiting[first]) {
      first += 1;
      if (next.messageId !== null) acknowledge(next.messageId);
    }
    // Moved rarely, so that a message costs the same however many wait.
    if (first > 1000 && first * 2 > waiting.length) {
      waiting.splice(0, first);
      first = 0;
    }
  };
  return {
    received(messageId) {
      const entry = { messageId, isDone: false };
      waiting.push(entry);
      return () => {
        entry.isDone = true;
        release();
      };
    },
  };
}
