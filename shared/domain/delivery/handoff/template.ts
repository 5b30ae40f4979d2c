import { type HandoffWord, handoffWords } from '../../../schema/settings/handoff-kinds.ts';
import { faultOfForm, filled, namesIn } from '../template.ts';

/** The fault of a template: it must be a JSON object or array whose texts contain only known words, and `{{key}}` among them. Null: it has none. */
export function faultOfTemplate(template: string): string | null {
  const fault = faultOfForm(template);
  if (fault !== null) return fault;
  const named = namesIn(template);
  const unknown = named.find((word) => !isWord(word)) ?? (template.includes('{{}}') ? '' : undefined);
  if (unknown !== undefined) return `contains {{${unknown}}}, which is not a word of an event`;
  return named.includes('key') ? null : 'must contain {{key}}, by which the receiver recognizes related events';
}

function isWord(text: string): text is HandoffWord {
  return handoffWords.some((word) => word === text);
}

/** The template with the values of an event. */
export function filledTemplate(template: string, words: Readonly<Record<HandoffWord, string>>): string {
  return filled(template, (name) => (isWord(name) ? words[name] : undefined));
}
