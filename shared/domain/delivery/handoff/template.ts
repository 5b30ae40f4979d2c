import { type HandoffWord, handoffWords } from '../../../schema/settings/handoff-kinds.ts';

const placeholder = /\{\{\s*([A-Za-z]*)\s*\}\}/g;

/** The fault of a template: it must be a JSON object or array whose texts contain only known words, and `{{key}}` among them. Null: it has none. */
export function faultOfTemplate(template: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(template);
  } catch {
    return 'is not JSON';
  }
  if (typeof value !== 'object' || value === null) return 'must be an object or a list';
  const named = [...template.matchAll(placeholder)];
  const unknown = named.find(([, word]) => !isWord(word ?? ''));
  if (unknown) return `contains ${unknown[0]}, which is not a word of an event`;
  return named.some(([, word]) => word === 'key')
    ? null
    : 'must contain {{key}}, by which the receiver recognizes related events';
}

function isWord(text: string): text is HandoffWord {
  return handoffWords.some((word) => word === text);
}

/** The template with the values of an event. Values are inserted into parsed texts, so that none can break the JSON. */
export function filledTemplate(template: string, words: Readonly<Record<HandoffWord, string>>): string {
  const filled = (text: string) =>
    text.replaceAll(placeholder, (whole, word: string) => (isWord(word) ? words[word] : whole));
  return JSON.stringify(JSON.parse(template), (_, value: unknown) =>
    typeof value === 'string' ? filled(value) : value,
  );
}
