/** The console's one time zone: that of the screen. */
export const timeZone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Its short name: `CET`, or `GMT-3` where it has none. */
export function zoneName(at: Date = new Date()): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}
