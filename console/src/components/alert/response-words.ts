import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { duration } from '../../format.ts';
import { actorOf } from '../action/trail-words.ts';

/** The members that show who acknowledged an alert or an incident, and how much time is left. */
export type Answerable = Pick<
  Alert,
  'status' | 'respondBy' | 'escalatedAt' | 'acknowledgedBy' | 'snoozedUntil' | 'maintenance'
> & { startedAt: string };

export type Response = {
  tone: 'runs' | 'soon' | 'late' | 'has' | 'still';
  /** The part of the response time that is left, 0 to 1. Null: no clock runs. */
  left: number | null;
  text: string;
};

/** An alert with less than this fraction of its response time left is shown as urgent. */
const urgentPart = 0.25;

/** Who acknowledged it, or until when somebody must. Null if it is over. */
export function responseOf(of: Answerable, nowMs: number): Response | null {
  const { status, respondBy, escalatedAt, acknowledgedBy, snoozedUntil, maintenance, startedAt } = of;
  if (status === 'resolved') return null;
  if (status === 'acknowledged') {
    return { tone: 'has', left: null, text: acknowledgedBy ? `${actorOf(acknowledgedBy)} has it` : 'Somebody has it' };
  }
  // Who was told is known only from the outcomes of the messages, which a row does not have.
  if (status === 'escalated') {
    const ago = escalatedAt === null ? '' : ` ${duration(nowMs - Date.parse(escalatedAt))} ago`;
    return { tone: 'late', left: 0, text: `Escalated${ago}, nobody has it` };
  }
  if (respondBy) {
    const leftMs = Date.parse(respondBy) - nowMs;
    const wholeMs = Date.parse(respondBy) - Date.parse(startedAt);
    const left = Math.min(1, Math.max(0, leftMs / Math.max(1, wholeMs)));
    const text = leftMs > 0 ? `${duration(leftMs)} left` : 'Escalates now';
    return { tone: left < urgentPart ? 'soon' : 'runs', left, text };
  }
  if (snoozedUntil)
    return { tone: 'still', left: null, text: `Snoozed for ${duration(Date.parse(snoozedUntil) - nowMs)}` };
  if (maintenance) return { tone: 'still', left: null, text: 'In maintenance' };
  return { tone: 'still', left: null, text: 'Nobody has it' };
}
