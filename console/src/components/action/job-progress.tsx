import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Job } from '../../../../shared/schema/job/job.ts';
import { at, write } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { plural } from '../../format.ts';
import { say, sayFailure } from '../toast.tsx';

const everyMs = 2000;

type Props = {
  /** The id of a job. Null: none runs. */
  job: string | null;
  /** The noun for one of its records, and the text about records that it could not change. */
  noun: string;
  refusal: string;
  onEnd: () => void;
};

/** The progress of a job, with a button that cancels it. A toast reports its end. */
export function JobProgress({ job, noun, refusal, onEnd }: Props): JSX.Element | null {
  const running = useResource<Job>(job === null ? null : at('jobs', job), { everyMs });
  const { data } = running;
  const isOver = data !== null && data.status !== 'running';
  useEffect(() => {
    if (!isOver) return;
    const { status, done, refused } = data;
    const rest = refused > 0 ? `; ${plural(refused, noun)} ${refusal}` : '';
    const begins = status === 'cancelled' ? 'Cancelled after' : 'Done:';
    say(`${begins} ${plural(done, noun)}${rest}.`, { isProblem: refused > 0 });
    onEnd();
  }, [isOver]);
  if (job === null || data?.jobId !== job) return null;
  const { done, refused, matched } = data;
  const cancel = () =>
    write<Job>('POST', at('jobs', job, 'cancel')).then((ended) => running.replace(ended), sayFailure);
  return (
    <div class="notice job" role="status">
      <progress max={Math.max(1, matched)} value={done + refused} aria-label={`${noun}s done`} />
      {(done + refused).toLocaleString()} of {plural(matched, noun)}
      <button type="button" class="button small" onClick={() => void cancel()}>
        Cancel
      </button>
    </div>
  );
}
