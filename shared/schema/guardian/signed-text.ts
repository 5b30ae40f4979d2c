/** Kinds of messages that come in an envelope, by the member that contains them. */
export const envelopedKinds = { alert: 'guardian-alert', health: 'guardian-health' } as const;
export type EnvelopeMember = keyof typeof envelopedKinds;

/** The text that a guardian signs. Only its last part can contain a line break, so two different messages never give the same text. */
export function signedText(
  deviceId: string,
  member: EnvelopeMember,
  { epoch, seq }: { epoch: string; seq: number },
  text: string,
): string {
  return `watchpost-guardian/1\n${deviceId}\n${envelopedKinds[member]}\n${epoch}\n${seq}\n${text}`;
}
