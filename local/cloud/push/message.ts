/** A device message on its way into the cloud. */
export type BridgeMessage = { data: Buffer; attributes: Record<string, string>; orderingKey: string };

/** Publishes a message to the cloud. Resolves when the cloud has it. */
export type Publish = (message: BridgeMessage) => Promise<void>;
