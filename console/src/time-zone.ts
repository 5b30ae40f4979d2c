/** The one zone that every time of the console is in: that of the screen it is read on. */
export const timeZone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Its name as it stands on a clock: `CET`, or `GMT-3` where it has none. */
export function zoneName(at: Date = new Date()): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}
