import type { IncidentRecord } from '../incident/incident.ts';
import { spellTime } from '../settings/local-time.ts';
import { type Letter, openings } from './messages.ts';
import type { Occasion } from './notifications.ts';

/** The message about an incident. */
export function incidentLetter(
  { severity, priority, title, message, timestamp, respondBy, incidentId }: IncidentRecord,
  occasion: Occasion,
  { consoleUrl, timeZone }: { consoleUrl: string; timeZone: string },
): Letter {
  return {
    title: `[${severity}${priority ? ` ${priority}` : ''}] ${openings[occasion]}${title}`,
    lines: [
      message,
      `Since ${spellTime(timestamp, timeZone)}`,
      ...(respondBy ? [`To be acknowledged by ${spellTime(respondBy, timeZone)}`] : []),
    ],
    links: [{ text: 'Open the incident', url: `${consoleUrl}/incidents/${incidentId}` }],
    severity,
  };
}
