import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Job, JobStarted } from '../../../../shared/schema/job/job.ts';
import { at, read, write } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { sayFailure } from '../../components/toast.tsx';

const pollMs = 1000;

/** Retries everything in quarantine in one job: says first how many that are, then how far it is, and can end it. */
export function RetryAll({ onDone }: { onDone: () => Promise<void> }): JSX.Element | null {
  const [matched, setMatched] = useState<number | null>(null);
  const [job, setJob] = useState<Job | null>(null);
  const [isBusy, setBusy] = useState(false);
  const mayWrite = useMay('settings:write');
  useFollowed(job, setJob, onDone);
  if (!mayWrite) return null;
  const ask = async (act: () => Promise<void>) => {
    setBusy(true);
    await act().catch(sayFailure);
    setBusy(false);
  };
  const count = () => ask(async () => setMatched((await retry(true)).matched));
  const start = () =>
    ask(async () => {
      const { jobId } = await retry(false);
      setMatched(null);
      if (jobId !== null) setJob(await read<Job>(at('jobs', jobId)));
    });
  const cancel = (jobId: string) => ask(async () => setJob(await write<Job>('POST', at('jobs', jobId, 'cancel'))));
  if (job) return <Progress job={job} isBusy={isBusy} onCancel={cancel} onClose={() => setJob(null)} />;
  if (matched === null) {
    return (
      <button type="button" class="button" disabled={isBusy} onClick={() => void count()}>
        Retry all…
      </button>
    );
  }
  return (
    <section class="buttons" aria-label="Retry all">
      <span role="status">{matched === 0 ? 'Nothing is to be retried.' : `Retry ${matched.toLocaleString()}?`}</span>
      {matched > 0 ? (
        <button type="button" class="button primary" disabled={isBusy} onClick={() => void start()}>
          Retry {matched.toLocaleString()}
        </button>
      ) : null}
      <button type="button" class="button" onClick={() => setMatched(null)}>
        {matched === 0 ? 'Close' : 'Not now'}
      </button>
    </section>
  );
}

function retry(dryRun: boolean): Promise<JobStarted> {
  return write<JobStarted>('POST', '/v1/quarantine/retry', { dryRun });
}

/** Asks how far a job is until it is over. */
function useFollowed(job: Job | null, setJob: (job: Job) => void, onDone: () => Promise<void>): void {
  useEffect(() => {
    if (job?.status !== 'running') return;
    const timer = setTimeout(async () => {
      // One that could not be asked is asked again.
      const next = await read<Job>(at('jobs', job.jobId)).catch(() => ({ ...job }));
      setJob(next);
      if (next.status !== 'running') await onDone();
    }, pollMs);
    return () => clearTimeout(timer);
  }, [job]);
}

type ProgressProps = { job: Job; isBusy: boolean; onCancel: (jobId: string) => Promise<void>; onClose: () => void };

function Progress({ job, isBusy, onCancel, onClose }: ProgressProps): JSX.Element {
  const { jobId, status, matched, done, refused } = job;
  const isRunning = status === 'running';
  return (
    <section class="buttons" aria-label="Retry all">
      {isRunning ? <progress max={Math.max(1, matched)} value={done + refused} aria-label="Retried" /> : null}
      <span role="status">{progressWords(job)}</span>
      {isRunning ? (
        <button type="button" class="button" disabled={isBusy} onClick={() => void onCancel(jobId)}>
          Cancel
        </button>
      ) : (
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      )}
    </section>
  );
}

const begins = { running: '', done: 'Done: ', cancelled: 'Cancelled: ' } as const;

/** How far a job is, in words. */
function progressWords({ status, matched, done, refused }: Job): string {
  const still = refused === 0 ? '' : `, ${refused.toLocaleString()} still cannot be read`;
  return `${begins[status]}${done.toLocaleString()} of ${matched.toLocaleString()} retried${still}`;
}
