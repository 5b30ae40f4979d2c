import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JobStarted } from '../../../../shared/schema/job/job.ts';
import { write } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { JobProgress } from '../../components/action/job-progress.tsx';
import { sayFailure } from '../../components/toast.tsx';

/** Retries everything in quarantine in one job: shows the count first, then the progress, and can cancel it. */
export function RetryAll({ onDone }: { onDone: () => Promise<void> }): JSX.Element | null {
  const [matched, setMatched] = useState<number | null>(null);
  const [job, setJob] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const mayWrite = useMay('settings:write');
  if (!mayWrite) return null;
  const ask = async (act: () => Promise<void>) => {
    setBusy(true);
    await act().catch(sayFailure);
    setBusy(false);
  };
  const count = () => ask(async () => setMatched((await retry(true)).matched));
  const start = () =>
    ask(async () => {
      setJob((await retry(false)).jobId);
      setMatched(null);
    });
  const end = () => {
    setJob(null);
    void onDone();
  };
  if (job !== null) return <JobProgress job={job} noun="report" refusal="still cannot be read" onEnd={end} />;
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
