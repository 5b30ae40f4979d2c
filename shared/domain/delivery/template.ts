const placeholder = /\{\{\s*([A-Za-z][A-Za-z0-9_.]*)\s*\}\}/g;
const whole = /^\{\{\s*([A-Za-z][A-Za-z0-9_.]*)\s*\}\}$/;

/** What is wrong with the form of a template: it must be a JSON object or list. Null: nothing. */
export function faultOfForm(template: string): string | null {
  try {
    const value: unknown = JSON.parse(template);
    if (typeof value !== 'object' || value === null) return 'must be an object or a list';
    return readable(value) ? null : `must not be nested deeper than ${deepest} levels`;
  } catch {
    return 'is not JSON';
  }
}

/** The names between double braces, in the texts that `filled` fills: JSON can spell a brace in several ways. */
export function namesIn(template: string): string[] {
  const texts = readable(JSON.parse(template)) ?? [];
  return texts.flatMap((text) => [...text.matchAll(placeholder)].map(([, name = '']) => name));
}

const deepest = 64;

/** The texts in a value. Null: it is nested too deeply. */
function readable(whole: unknown): string[] | null {
  const texts: string[] = [];
  let level: unknown[] = [whole];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return null;
    texts.push(...level.filter((value) => typeof value === 'string'));
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return texts;
}

/**
 * The template with the value of each name. Values are inserted into parsed texts, so that none can break the JSON. A text that is one name alone becomes
 * the value itself.
 * @param valueFor undefined: there is no such value, and the name stays as it is
 */
export function filled(template: string, valueFor: (name: string) => unknown): string {
  const textOf = (value: unknown) => (value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value));
  const filledText = (text: string) => {
    const alone = whole.exec(text)?.[1];
    const own = alone === undefined ? undefined : valueFor(alone);
    if (own !== undefined) return own;
    return text.replaceAll(placeholder, (given, name: string) => {
      const found = valueFor(name);
      return found === undefined ? given : textOf(found);
    });
  };
  // What is inserted is not searched for names again.
  const inserted = (value: unknown): unknown => {
    if (typeof value === 'string') return filledText(value);
    if (Array.isArray(value)) return value.map(inserted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inserted(part)]));
  };
  return JSON.stringify(inserted(JSON.parse(template)));
}

/** The value at a path such as `alert.deviceId` in an event. Undefined: the event does not have it. */
export function valueAt(event: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as Record<string, unknown>)[name];
  }, event);
}
