import type { Fault } from '../../errors.ts';
import type { Envelope } from '../../schema/device/report.ts';
import type { GuardianEnvelope } from '../../schema/guardian/envelope.ts';
import { type EnvelopeMember, envelopedKinds } from '../../schema/guardian/signed-text.ts';
import { faultsOf } from '../../schema/validate.ts';
import type { MessageKind, ReportKind } from '../../schema/vocabulary.ts';

/**
 * The member of an envelope that carries the content of a kind of message, and the kind of its report. Null: this kind comes without an
 * envelope.
 */
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

/** Reads the text in an envelope. The signature is checked later, where the device's key is known. */
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
