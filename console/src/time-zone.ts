/** The console's one time zone: that of the screen. */
export const timeZone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone;

// Made once: to make one takes longer than to draw the row that shows the name.
const withZone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });

/** The name for each offset from UTC in minutes: a zone has another name in summer. */
const names = new Map<number, string>();

/** Its short name: `CET`, or `GMT-3` where it has none. */
export function zoneName(at: Date = new Date()): string {
  const offset = at.getTimezoneOffset();
  const known = names.get(offset);
  if (known !== undefined) return known;
  const name = withZone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
  names.set(offset, name);
  return name;
}
