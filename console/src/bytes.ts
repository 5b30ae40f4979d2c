/**
 * Bytes in a form that can be shown. `size` counts all bytes, `text` and `dump` show at most `shownBytes` of them, and
 * `isWhole` says whether that is all.
 */
export type Shown = { isText: boolean; text: string; dump: string; size: number; isWhole: boolean };

/** Maximum number of bytes to show. More would only slow the page. */
export const shownBytes = 16 * 1024;

/** Decodes base64 for display: the first `shownBytes` bytes, with invisible characters made visible. */
export function showBytes(base64: string): Shown {
  const size = Math.floor((base64.length * 3) / 4) - (/=+$/.exec(base64)?.[0].length ?? 0);
  const part = atob(base64.slice(0, Math.ceil(shownBytes / 3) * 4));
  const bytes = Uint8Array.from(part.slice(0, shownBytes), (char) => char.charCodeAt(0));
  const text = textOf(bytes);
  return {
    isText: text !== null,
    text: visible(text ?? new TextDecoder().decode(bytes)),
    dump: dumpOf(bytes),
    size,
    isWhole: size <= shownBytes,
  };
}

/**
 * Text with every invisible or direction-changing character replaced by its code, such as `⟨U+202E⟩`. Line feeds and
 * tabs stay.
 */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
    char === '\n' || char === '\t'
      ? char
      : `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

/** Null where the bytes are not text: not UTF-8, or with control characters that text does not contain. */
function textOf(bytes: Uint8Array): string | null {
  try {
    // Read as a stream, so that a character cut in two at the end is not an error.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return /[^\P{Cc}\t\n\r]/u.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** Sixteen bytes per line: offset, hexadecimal values, and ASCII. */
function dumpOf(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let from = 0; from < bytes.length; from += 16) {
    const line = [...bytes.subarray(from, from + 16)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const ascii = line.map((byte) => (byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${from.toString(16).padStart(5, '0')}  ${hex.padEnd(47)}  ${ascii}`);
  }
  return lines.join('\n');
}
