import { parseJson } from '../../schema/json.ts';
import type { DialectName } from '../../schema/vocabulary.ts';
import { plus, toInstant } from '../time.ts';
import { bridgeAttribute, bridgeWords } from './dialects.ts';
import type { MessageRefusal } from './message.ts';
import type { Message } from './pushed.ts';

/** The most that a pack may hold, unzipped: far more than our bridge puts into one. */
export const mostPacked = { bytes: 8 * 1024 * 1024, entries: 1000 };
/** An entry cannot have waited longer in a bridge. */
const longestAgeMs = 60_000;

/** Whether a message is a pack of several. Only our own bridge makes them, and only the dialect `native` reads what it says. */
export function isPack({ attributes }: Message, dialect: DialectName): boolean {
  const words = dialect === 'native' ? bridgeWords(attributes[bridgeAttribute]) : null;
  return words !== null && typeof words['entries'] === 'number' && attributes['deviceId'] === undefined;
}

/** An entry as a message of its own, or why it is none, with its bytes. */
export type PackEntry = { message: Message; refused: MessageRefusal | null };

/** The entries of a pack. Each is judged by itself, so that a bad one takes no good one with it. */
export function unpacked(text: string, pack: Message): PackEntry[] | null {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length > mostPacked.entries) return null;
  return lines.map((line, index) => entryOf(line, { ...pack, messageId: `${pack.messageId}-${index}` }));
}

function entryOf(line: string, pack: Message): PackEntry {
  const refused = (detail: string, pointer = ''): PackEntry => ({
    message: { ...pack, attributes: {}, data: Buffer.from(line) },
    refused: { reason: 'unreadable', errors: [{ pointer, detail }], deviceId: null, kind: null },
  });
  const parsed = parseJson(Buffer.from(line));
  if ('fault' in parsed) return refused(`is not an entry of a pack: ${parsed.fault.detail}`, parsed.fault.pointer);
  const entry = Object(parsed.value) as Record<string, unknown>;
  const { deviceId, kind, retained, ageMs, text, base64 } = entry;
  if (typeof deviceId !== 'string') return refused('must be a text', '/deviceId');
  if (typeof kind !== 'string') return refused('must be a text', '/kind');
  if (typeof ageMs !== 'number' || !(ageMs >= 0 && ageMs <= longestAgeMs)) {
    return refused(`must be a number from 0 to ${longestAgeMs}`, '/ageMs');
  }
  if ((typeof text === 'string') === (typeof base64 === 'string')) return refused('must have a text or base64');
  const data = typeof text === 'string' ? Buffer.from(text) : Buffer.from(base64 as string, 'base64');
  // Only these attributes: an entry can be neither a canary nor another pack.
  const attributes = { deviceId, kind, ...(retained === 'true' ? { retained } : {}) };
  const publishTime = plus(toInstant(pack.publishTime), -ageMs);
  return { message: { messageId: pack.messageId, publishTime, attributes, data }, refused: null };
}
