/** The time zone of all times in the console: that of the browser. */
export const timeZone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone;

// Created once, because creating a formatter takes longer than drawing the row that shows the name.
const withZone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });

/** Names by offset from UTC, minutes: in summer a zone has another name. */
const names = new Map<number, string>();

/** The short name of the zone at an instant: `CET`, or `GMT-3` if it has none. */
export function zoneName(at: Date = new Date()): string {
  const offset = at.getTimezoneOffset();
  const known = names.get(offset);
  if (known !== undefined) return known;
  const name = withZone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
  names.set(offset, name);
  return name;
}
