import { webhookEvents } from '../../schema/vocabulary.ts';
import { faultOfForm, filled, namesIn, valueAt } from './template.ts';

/** Characters that a filled template may have: names can repeat a long value. */
const mostCharacters = 1024 * 1024;

/** The body that an endpoint with a template gets, or why the template cannot be filled. */
export type TemplateResult = { body: string } | { fault: string };

/** Fills a template with the members of an event. What asks about the endpoint itself (test, challenge, checkpoint) is sent as it is. */
export function rendered(template: string, body: string): TemplateResult {
  const event: unknown = parsed(body);
  const type = valueAt(event, 'eventType');
  if (!webhookEvents.some((known) => known === type)) return { body };
  if (faultOfForm(template) !== null) return { fault: 'The template cannot be read.' };
  const names = namesIn(template);
  const lengths = new Map([...new Set(names)].map((name) => [name, JSON.stringify(valueAt(event, name))?.length]));
  const missing = names.find((name) => lengths.get(name) === undefined);
  if (missing !== undefined) return { fault: `The event has no ${missing}.` };
  const longest = names.reduce((sum, name) => sum + (lengths.get(name) ?? 0), 0);
  if (longest + template.length > mostCharacters) return { fault: 'The filled template would be too long.' };
  return { body: filled(template, (name) => valueAt(event, name)) };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
