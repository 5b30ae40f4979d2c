/** The console's one time zone: that of the screen. */
export const timeZone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone;

// Made once: to make one takes longer than to draw the row that shows the name.
const withZone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });

/** Its short name: `CET`, or `GMT-3` where it has none. */
export function zoneName(at: Date = new Date()): string {
  return withZone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}
