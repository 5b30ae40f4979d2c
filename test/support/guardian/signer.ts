import { generateKeyPairSync, sign } from 'node:crypto';
import type { Message } from '../../../shared/domain/intake/pushed.ts';
import { type EnvelopeMember, envelopedKinds, signedText } from '../../../shared/schema/guardian/signed-text.ts';
import { message } from '../records/reports.ts';
import { startOfTests } from '../world/world.ts';

export type Signing = {
  epoch?: string;
  seconds?: number;
  deviceId?: string;
  member?: EnvelopeMember;
  messageId?: string;
};

/** A guardian's key and the messages that it signs. */
export function createSigner() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const envelope = (
    seq: number,
    body: object,
    { epoch = 'e1', deviceId = 'cam-1', member = 'alert' }: Signing = {},
  ) => {
    const text = JSON.stringify(body);
    const signature = sign(null, Buffer.from(signedText(deviceId, member, { epoch, seq }, text)), privateKey);
    return { v: 1, epoch, seq, [member]: text, signature: signature.toString('base64') };
  };
  return {
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    envelope,
    /** The message as our own bridge publishes it. */
    message: (seq: number, body: object, given: Signing = {}): Message => enveloped(envelope(seq, body, given), given),
  };
}

/** An envelope with any content, as our own bridge publishes it. */
export function enveloped(
  envelope: object,
  { seconds = 0, deviceId = 'cam-1', member = 'alert', ...rest }: Signing,
): Message {
  const publishTime = new Date(Date.parse(startOfTests) + seconds * 1000).toISOString();
  const messageId = rest.messageId === undefined ? {} : { messageId: rest.messageId };
  return message(envelopedKinds[member], envelope, { deviceId, publishTime, ...messageId });
}
