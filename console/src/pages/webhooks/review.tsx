import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Delivery } from '../../../../shared/schema/delivery/delivery.ts';
import { at, failureFrom, write } from '../../client/api.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Check } from '../../components/form.tsx';
import { say } from '../../components/toast.tsx';
import { plural } from '../../format.ts';

type Action = 'redeliver' | 'dismiss';
/** The progress of an action on several deliveries. */
type Progress = { action: Action; done: number; of: number };

/** The deliveries that a person has selected for review, and what is done to them. */
export type Review = {
  /** The selected deliveries that are still in the list. */
  ids: readonly string[];
  count: number;
  progress: Progress | null;
  has: (id: string) => boolean;
  pick: (id: string, isPicked: boolean) => void;
  pickAll: (isPicked: boolean) => void;
  act: (action: Action) => Promise<void>;
};

/** Number of deliveries that are changed concurrently. */
const width = 4;

/** The selection contains only deliveries in the list. A delivery that leaves the list is no longer selected. */
export function useReview(all: readonly Delivery[], onChanged: () => Promise<void>): Review {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [progress, setProgress] = useState<Progress | null>(null);
  const ids = all.flatMap(({ deliveryId }) => (picked.has(deliveryId) ? [deliveryId] : []));
  const pick = (id: string, isPicked: boolean) =>
    setPicked((before) => new Set([...before].filter((each) => each !== id).concat(isPicked ? [id] : [])));
  const act = async (action: Action) => {
    const waiting = [...ids];
    const of = waiting.length;
    const refused: string[] = [];
    let done = 0;
    setProgress({ action, done, of });
    const work = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        await write('POST', at('deliveries', id, action)).catch((error) => refused.push(failureFrom(error).title));
        done += 1;
        setProgress({ action, done, of });
      }
    };
    await Promise.all(Array.from({ length: width }, work));
    setProgress(null);
    setPicked(new Set());
    const words = `${plural(of - refused.length, 'delivery', 'deliveries')} ${action === 'dismiss' ? 'dismissed' : 'on their way again'}.`;
    const not = refused.length > 0 ? ` ${refused.length} could not be changed: ${refused[0]}.` : '';
    say(words + not, { isProblem: refused.length > 0 });
    await onChanged();
  };
  const pickAll = (isPicked: boolean) => setPicked(new Set(isPicked ? all.map(({ deliveryId }) => deliveryId) : []));
  return { ids, count: all.length, progress, has: (id) => picked.has(id), pick, pickAll, act };
}

export function PickBox({ id, what, review }: { id: string; what: string; review: Review }): JSX.Element {
  return (
    <span class="pick">
      <input
        type="checkbox"
        aria-label={`Select ${what}`}
        checked={review.has(id)}
        onChange={(event) => review.pick(id, event.currentTarget.checked)}
      />
    </span>
  );
}

/** Selects the shown deliveries, and sends them again or dismisses them after showing their number. */
export function ReviewBar({ review }: { review: Review }): JSX.Element {
  const [asked, setAsked] = useState<Action | null>(null);
  const { ids, count, progress } = review;
  const isNone = ids.length === 0 || progress !== null;
  const what = plural(ids.length, 'delivery', 'deliveries');
  return (
    <div class="buttons review-bar" role="toolbar" aria-label="Review">
      <Check
        label={`All ${count.toLocaleString()} shown`}
        checked={ids.length === count}
        onChange={(isPicked) => review.pickAll(isPicked)}
      />
      <button type="button" class="button small primary" disabled={isNone} onClick={() => setAsked('redeliver')}>
        Redeliver {ids.length > 0 ? ids.length : ''}
      </button>
      <button type="button" class="button small" disabled={isNone} onClick={() => setAsked('dismiss')}>
        Dismiss {ids.length > 0 ? ids.length : ''}
      </button>
      <span role="status">{progress ? `${progress.done} of ${progress.of}` : ''}</span>
      {asked ? (
        <Confirm
          title={asked === 'dismiss' ? `Dismiss ${what}?` : `Send ${what} again?`}
          action={asked === 'dismiss' ? 'Dismiss' : 'Send again'}
          isHarmless={asked === 'redeliver'}
          onConfirm={() => {
            setAsked(null);
            return review.act(asked);
          }}
          onClose={() => setAsked(null)}
        >
          {asked === 'dismiss'
            ? 'They are not sent, and leave this list. Each can be sent again from the list of deliveries.'
            : 'Each keeps its id, so that receivers recognize a repetition.'}
        </Confirm>
      ) : null}
    </div>
  );
}
