/** A whole sentence with the names of its parts in braces, and the parts. It is translated as a whole, and never glued from words. */
export type Said = { text: string; parts?: Record<string, string | number> };

/** The sentence as plain text, for names of controls. */
export function plainText({ text, parts = {} }: Said): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => partText(parts[name]));
}

export function partText(part: string | number | undefined): string {
  return typeof part === 'number' ? part.toLocaleString() : (part ?? '');
}
