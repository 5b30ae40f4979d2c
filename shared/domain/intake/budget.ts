import { v5 as uuidv5 } from 'uuid';
import type { Suppressed } from '../../schema/quarantine/quarantine.ts';
import { earliest, latest } from '../time.ts';
import { deviceIdPattern, type MessageRefusal } from './message.ts';

/** Messages per hour that quarantine keeps of one device, and of all messages without a device. */
const mostOfDevice = 20;
const mostOfNobody = 200;
const namespace = '6a1c8f0e-2f55-5c1b-8d3e-9b7a40d5c2e1';

/**
 * The budget that a message counts towards, by the hour of its publication, which no device can choose. Null: it is always kept. A budget
 * limits what is stored, never what is decided.
 */
export function budgetOf(
  { reason, deviceId }: MessageRefusal,
  receivedAt: string,
): { id: string; most: number } | null {
  // A message that could not be handled is our own failure, so it is always kept.
  if (reason === 'dead-letter') return null;
  const isNamed = deviceId !== null && deviceIdPattern.test(deviceId);
  const id = uuidv5(JSON.stringify([isNamed ? deviceId : null, receivedAt.slice(0, 13)]), namespace);
  return { id, most: isNamed ? mostOfDevice : mostOfNobody };
}

/** Adds two counts of messages that were not kept. */
export function sumOf(a: Suppressed | null, b: Suppressed | null): Suppressed | null {
  if (a === null || b === null) return a ?? b;
  const reasons = { ...a.reasons };
  for (const [reason, count] of Object.entries(b.reasons)) reasons[reason] = (reasons[reason] ?? 0) + count;
  return {
    count: a.count + b.count,
    firstAt: earliest([a.firstAt, b.firstAt]) ?? a.firstAt,
    lastAt: latest(a.lastAt, b.lastAt) ?? a.lastAt,
    reasons,
  };
}
