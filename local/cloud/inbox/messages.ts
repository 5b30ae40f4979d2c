import type { Received as Hooked } from '../receiver/server.ts';

/** Something that was sent to somebody, as the inbox shows it. */
export type Received =
  | {
      kind: 'email';
      at: string;
      to: string[];
      from: string;
      subject: string;
      text: string;
      html: string;
      messageId: string;
    }
  | { kind: 'chat'; at: string; product: string; room: string; body: unknown }
  | { kind: 'sms'; at: string; to: string; from: string; text: string; account: string }
  | ({ kind: 'webhook' } & Hooked);

export type Messages = {
  add(message: Received): void;
  /** Newest first. */
  list(): Received[];
  clear(): void;
};

/** The newest messages, in memory. */
export function createMessages(most: number): Messages {
  let kept: Received[] = [];
  return {
    add(message) {
      kept = [message, ...kept].slice(0, most);
    },
    list: () => kept,
    clear() {
      kept = [];
    },
  };
}
