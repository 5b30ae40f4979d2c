/** A Pub/Sub message as a bridge published it. */
export type Message = {
  messageId: string;
  /** Time of publication, cloud time. */
  publishTime: string;
  attributes: Record<string, string>;
  data: Buffer;
};
