/** Kinds of messages that come in an envelope, by the member that carries them. */
export const envelopedKinds = { alert: 'guardian-alert', health: 'guardian-health' } as const;
export type EnvelopeMember = keyof typeof envelopedKinds;

/** The text that a guardian signs. No part but the last can hold a line break, so no two messages come to the same text. */
export function signedText(
  deviceId: string,
  member: EnvelopeMember,
  { epoch, seq }: { epoch: string; seq: number },
  text: string,
): string {
  return `watchpost-guardian/1\n${deviceId}\n${envelopedKinds[member]}\n${epoch}\n${seq}\n${text}`;
}
