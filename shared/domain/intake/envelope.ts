import type { Fault } from '../../errors.ts';
import type { Envelope } from '../../schema/device/report.ts';
import type { GuardianEnvelope } from '../../schema/guardian/envelope.ts';
import { type EnvelopeMember, envelopedKinds } from '../../schema/guardian/signed-text.ts';
import { faultsOf } from '../../schema/validate.ts';
import type { MessageKind, ReportKind } from '../../schema/vocabulary.ts';

/** Which member of an envelope carries what a kind of message says, and the kind of report that it is; null: it comes bare. */
export function envelopeOf(kind: MessageKind): { member: EnvelopeMember; reportKind: ReportKind } | null {
  switch (kind) {
    case envelopedKinds.alert:
      return { member: 'alert', reportKind: 'guardian' };
    case envelopedKinds.health:
      return { member: 'health', reportKind: 'guardian-health' };
    default:
      return null;
  }
}

/** Takes the text out of an envelope. Whether its signature is good is for those to say who know the device's key. */
export function openEnvelope(
  body: unknown,
  member: EnvelopeMember,
): { envelope: Envelope; text: string } | { faults: Fault[] } {
  const faults = faultsOf('GuardianEnvelope', body);
  if (faults.length > 0) return { faults };
  const { epoch, seq, signature, ...carried } = body as GuardianEnvelope;
  const text = carried[member];
  if (text === undefined) return { faults: [{ pointer: `/${member}`, detail: 'is required' }] };
  return { envelope: { member, epoch, seq, signature }, text };
}
