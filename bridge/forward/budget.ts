export type Budget = {
  take(bytes: number): void;
  release(bytes: number): void;
  readonly bytes: number;
  readonly messages: number;
};

/** Counts what is being published. `onFull` is called when reading must wait, and `onFree` when it may go on. */
export function createBudget(mostBytes: number, { onFull, onFree }: { onFull(): void; onFree(): void }): Budget {
  let bytes = 0;
  let messages = 0;
  let isFull = false;
  return {
    take(size) {
      bytes += size;
      messages += 1;
      if (isFull || bytes < mostBytes) return;
      isFull = true;
      onFull();
    },
    release(size) {
      bytes -= size;
      messages -= 1;
      // Not at the first free byte: otherwise it would stop and go on with each message.
      if (!isFull || bytes > mostBytes / 2) return;
      isFull = false;
      onFree();
    },
    get bytes() {
      return bytes;
    },
    get messages() {
      return messages;
    },
  };
}
