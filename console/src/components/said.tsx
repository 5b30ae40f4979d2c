import type { ComponentChildren, JSX } from 'preact';

/** A whole sentence with the names of its parts in braces, and the parts. It is translated as a whole, and never glued from words. */
export type Said = { text: string; parts?: Record<string, string | number> };

/** The sentence as plain text, for names of controls and for tests. */
export function plainText({ text, parts = {} }: Said): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => shown(parts[name]));
}

/** Draws a sentence. Each part is isolated, so that a name in Arabic or Hebrew does not turn the words around it. */
export function Sentence({ of: { text, parts = {} } }: { of: Said }): JSX.Element {
  const pieces: ComponentChildren[] = text.split(/\{(\w+)\}/).map((piece, index) => {
    return index % 2 === 0 ? piece : <bdi key={piece}>{shown(parts[piece])}</bdi>;
  });
  return <>{pieces}</>;
}

function shown(part: string | number | undefined): string {
  return typeof part === 'number' ? part.toLocaleString() : (part ?? '');
}
