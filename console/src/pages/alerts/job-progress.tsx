import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Job } from '../../../../shared/schema/job/job.ts';
import { at, write } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { say, sayFailure } from '../../components/toast.tsx';
import { plural } from '../../format.ts';

const everyMs = 2000;

/** How far an action on many alerts is, with a button that ends it. */
export function JobProgress({ job, onEnd }: { job: string | null; onEnd: () => void }): JSX.Element | null {
  const running = useResource<Job>(job === null ? null : at('jobs', job), { everyMs });
  const { data } = running;
  const isOver = data !== null && data.status !== 'running';
  useEffect(() => {
    if (!isOver) return;
    say(wordsOf(data), { isProblem: data.refused > 0 });
    onEnd();
  }, [isOver]);
  if (job === null || data?.jobId !== job) return null;
  const { done, refused, matched } = data;
  const cancel = () =>
    write<Job>('POST', at('jobs', job, 'cancel')).then((ended) => running.replace(ended), sayFailure);
  return (
    <div class="notice job" role="status">
      <progress max={Math.max(1, matched)} value={done + refused} aria-label="Alerts done" />
      {(done + refused).toLocaleString()} of {plural(matched, 'alert')}
      <button type="button" class="button small" onClick={() => void cancel()}>
        Cancel
      </button>
    </div>
  );
}

function wordsOf({ status, done, refused }: Job): string {
  const rest = refused > 0 ? `; ${plural(refused, 'alert')} could not be changed` : '';
  return `${status === 'cancelled' ? 'Cancelled after' : 'Done:'} ${plural(done, 'alert')}${rest}.`;
}
