/** A device message on its way into the cloud. */
export type BridgeMessage = { data: Buffer; attributes: Record<string, string>; orderingKey: string };

/** Hands a message to the cloud; resolves once the cloud has it. */
export type Publish = (message: BridgeMessage) => Promise<void>;
