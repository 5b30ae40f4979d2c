import { useState } from 'preact/hooks';
import type { Alert, AlertList as AlertListAnswer } from '../../../../shared/schema/alert/alert.ts';
import type { JobStarted } from '../../../../shared/schema/job/job.ts';
import { type Failure, failureFrom, read, write } from '../../client/api.ts';
import type { Query } from '../../client/router.ts';
import { type Asked, askedBefore } from '../../components/action/action-dialogs.tsx';
import { type ActionBody, act, type ChangingAction, isPlain, refusalOf } from '../../components/action/actions.ts';
import { actOnMany, alertKind, nameOf } from '../../components/alert/alert-actions.ts';
import { say, sayProblem } from '../../components/toast.tsx';
import { plural } from '../../format.ts';
import { severities, severityNames } from '../../model.ts';
import type { AlertList } from './alert-list.ts';

/** An action on more alerts than this asks for confirmation. */
const manyAtOnce = 25;

/** Performs the operator's actions: at once, or after a dialog. `done` counts them, so that an open alert reads itself again. */
export function useDoing(list: AlertList, filters: Query, dropSelection: () => void) {
  const [asked, setAsked] = useState<Asked | null>(() => askedBefore('alerts'));
  const [done, setDone] = useState(0);
  const [job, setJob] = useState<string | null>(null);
  const changed = (alert: Alert | null) => {
    if (alert) list.put(alert);
    else list.reload();
    setDone((count) => count + 1);
  };
  const startJob = async (matching: Query, action: ChangingAction, body: ActionBody): Promise<Failure | null> => {
    try {
      const given = { action, filter: bodyOf(matching), ...body };
      const started = await write<JobStarted>('POST', '/v1/alerts/batch/matching', given);
      if (started.jobId === null) say('No alert matches any more.');
      setJob(started.jobId);
      dropSelection();
      return null;
    } catch (error) {
      return failureFrom(error);
    }
  };
  const submit = async ({ action, ids, etag, matching }: Asked, body: ActionBody = {}): Promise<Failure | null> => {
    if (matching) return startJob(matching, action, body);
    const [alertId] = ids;
    if (ids.length === 1 && alertId) {
      const failure = await act(alertKind, alertId, action, { body, etag, changed });
      return failure && refusalOf(failure, action);
    }
    const failure = await actOnMany(ids, action, body, () => changed(null));
    if (!failure) dropSelection();
    changed(null);
    return failure;
  };
  /** Starts an action on alerts that are in view. `etag` requires the version that was seen. */
  const ask = (action: ChangingAction, alerts: readonly Alert[], etag: string | null = null) => {
    const [first] = alerts;
    if (!first) return;
    const ids = alerts.map(({ alertId }) => alertId);
    const what = alerts.length === 1 ? nameOf(first) : countsOf(alerts);
    const one: Asked = { noun: 'alerts', ids, action, etag, what };
    if (!isPlain(action) || alerts.length > manyAtOnce) setAsked(one);
    else void submit(one).then((failure) => failure && sayProblem(failure));
  };
  const askMatching = (action: ChangingAction, total: number | null) => {
    const all = total === null ? 'all alerts that match' : `all ${plural(total, 'alert')} that match`;
    const ask = (what: string) => setAsked({ noun: 'alerts', ids: [], action, etag: null, what, matching: filters });
    countsOfMatching(filters).then(
      (counts) => ask(`${all}: ${counts}`),
      () => ask(all),
    );
  };
  const jobEnded = () => {
    setJob(null);
    changed(null);
  };
  return { job, jobEnded, askMatching, asked, close: () => setAsked(null), submit, ask, done };
}

/**
 * The filters of the address as a request body, without the order. All members except `flags` and `texts` are lists.
 */
function bodyOf({ orderBy: _, ...filters }: Query): object {
  const flags = new Set(['snoozed', 'maintenance']);
  const texts = new Set(['q', 'since', 'until']);
  const sent = (name: string, value: Query[string]) => {
    const values = [value ?? []].flat();
    if (flags.has(name)) return values[0] === 'true';
    return texts.has(name) ? values[0] : values;
  };
  return Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, sent(name, value)]));
}

/** `12 critical, 18 warning`: of all alerts that match, as the service counts them. */
async function countsOfMatching(filters: Query): Promise<string> {
  const asked = [filters['severity'] ?? []].flat();
  const counts = await Promise.all(
    severities.map(async (severity) => {
      if (asked.length > 0 && !asked.includes(severity)) return [];
      const { counts: open } = await read<AlertListAnswer>('/v1/alerts', { ...filters, severity, pageSize: '1' });
      const count = open ? open.active + open.acknowledged + open.escalated : 0;
      return count > 0 ? [`${count.toLocaleString()} ${severityNames[severity].toLowerCase()}`] : [];
    }),
  );
  return counts.flat().join(', ');
}

/** `30 alerts: 12 critical, 18 warning` */
function countsOf(alerts: readonly Alert[]): string {
  const counts = severities.flatMap((severity) => {
    const count = alerts.filter((alert) => alert.severity === severity).length;
    return count > 0 ? `${count} ${severityNames[severity].toLowerCase()}` : [];
  });
  return `${plural(alerts.length, 'alert')}: ${counts.join(', ')}`;
}
