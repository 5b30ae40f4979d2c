import type { Cause } from '../../../../shared/schema/fleet/now.ts';
import type { JobStarted } from '../../../../shared/schema/job/job.ts';
import { failureFrom, write } from '../../client/api.ts';
import { href } from '../../client/router.ts';
import { act, refusalOf } from '../../components/action/actions.ts';
import { alertKind } from '../../components/alert/alert-actions.ts';
import { incidentKind } from '../../components/incident/incident-words.ts';
import { say, sayProblem } from '../../components/toast.tsx';

/** A cause of more alerts than this is taken in their list, which says what it takes. */
const manyAtOnce = 25;

/** The alerts of a cause without an incident, as a filter of their list. */
function filterOf({ code, place }: Cause): { code: string[]; groupId?: string[]; site?: string[] } {
  const site = place?.kind === 'site' ? { site: [place.id] } : {};
  return { code: [code ?? ''], ...(place?.groupId ? { groupId: [place.groupId] } : {}), ...site };
}

/** Where a row leads: to the incident, to the one alert, or to the list of the alerts. */
export function addressOf(cause: Cause): string {
  if (cause.incident) return href(['incidents', cause.incident.incidentId]);
  if (cause.cameras === 1 && cause.alert) return href(['alerts', cause.alert.alertId]);
  return href(['alerts'], { ...filterOf(cause), orderBy: 'urgency desc' });
}

/** Whether one press takes it. A group's cameras without a site cannot be told from the others of the group in a filter. */
export function isTakeable(cause: Cause): boolean {
  if (cause.status === 'acknowledged') return false;
  if (cause.incident || cause.cameras === 1) return true;
  return (cause.cameras ?? 0) <= manyAtOnce && cause.place?.kind !== 'group';
}

/** Takes a cause: acknowledges its incident, or its alerts. */
export async function take(cause: Cause, changed: () => unknown): Promise<void> {
  const { incident, alert, cameras } = cause;
  if (incident || cameras === 1) {
    const failure = incident
      ? await act(incidentKind, incident.incidentId, 'acknowledge', { changed })
      : await act(alertKind, alert?.alertId ?? '', 'acknowledge', { changed });
    if (failure) sayProblem(refusalOf(failure, 'acknowledge'));
    return;
  }
  try {
    const filter = { ...filterOf(cause), status: ['active', 'escalated'], snoozed: false, maintenance: false };
    const { matched } = await write<JobStarted>('POST', '/v1/alerts/batch/matching', { action: 'acknowledge', filter });
    say(`${matched.toLocaleString()} alerts are being acknowledged.`);
  } catch (error) {
    sayProblem(failureFrom(error));
  }
  changed();
}
