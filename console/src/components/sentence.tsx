import type { ComponentChildren, JSX } from 'preact';
import { partText, type Said } from '../said.ts';

/** Draws a sentence. Each part is isolated, so that a name in Arabic or Hebrew does not turn the words around it. */
export function Sentence({ of: { text, parts = {} } }: { of: Said }): JSX.Element {
  const pieces: ComponentChildren[] = text.split(/\{(\w+)\}/).map((piece, index) => {
    return index % 2 === 0 ? piece : <bdi key={piece}>{partText(parts[piece])}</bdi>;
  });
  return <>{pieces}</>;
}
