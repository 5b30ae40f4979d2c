import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Cause, Now } from '../../../../shared/schema/fleet/now.ts';
import { useMay } from '../../client/auth.ts';
import { useWrong } from '../../client/fleet.ts';
import { href } from '../../client/router.ts';
import { darkSpans } from '../../components/alert/presence-spans.ts';
import { Ring } from '../../components/alert/response.tsx';
import { SeverityMark } from '../../components/alert/severity.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { Failed, Skeleton } from '../../components/states.tsx';
import { dayMs, Strip } from '../../components/strip.tsx';
import { Time } from '../../components/time.tsx';
import { useNow } from '../../format.ts';
import { severities, severityNames } from '../../model.ts';
import { plainText, type Said } from '../../said.ts';
import { asOfWords, clockWords, partLeft, rowWords, whoWords } from './cause-words.ts';
import { addressOf, isTakeable, take } from './take.ts';

/** Rows that are shown at first. */
const shownAtFirst = 12;

/** What is wrong now, the worst first, as the service ranks it: what and where, how much of its place, since when, who has it, and how long is left. */
export function Causes(): JSX.Element | null {
  const wrong = useWrong();
  const [isAll, setAll] = useState(false);
  const now = useNow();
  const mayTake = useMay('alerts:write');
  const { data } = wrong;
  if (!data) {
    return (
      <section class="panel causes-panel" aria-labelledby="now">
        <Head />
        {wrong.failure ? <Failed failure={wrong.failure} retry={wrong.reload} /> : <Skeleton lines={3} />}
      </section>
    );
  }
  const asOf = asOfWords(data, now);
  if (data.causes.length === 0 && asOf === null) return null;
  const shown = isAll ? data.causes : data.causes.slice(0, shownAtFirst);
  return (
    <section class="panel causes-panel" aria-labelledby="now">
      <Head asOf={asOf} />
      <ul class="causes" aria-label="What is wrong now, the worst first">
        {shown.map((cause) => (
          <Row key={cause.key} cause={cause} mayTake={mayTake} onTaken={wrong.reload} />
        ))}
      </ul>
      <Rest now={data} shown={shown.length} onAll={() => setAll(true)} />
    </section>
  );
}

function Head({ asOf = null }: { asOf?: Said | null }): JSX.Element {
  return (
    <header class="panel-head">
      <h2 id="now">What is wrong now</h2>
      {asOf ? (
        <span class="chip wait">
          <Sentence of={asOf} />
        </span>
      ) : null}
      <a href={href(['shift'])}>Hand over</a>
      <a href={href(['alerts'], { orderBy: 'urgency desc' })}>All by urgency</a>
    </header>
  );
}

function Row({ cause, mayTake, onTaken }: { cause: Cause; mayTake: boolean; onTaken: () => unknown }): JSX.Element {
  const now = useNow();
  const { main, more } = rowWords(cause);
  const clock = clockWords(cause, now);
  const left = partLeft(cause, now);
  return (
    <li class={`cause cause-${cause.status}`}>
      <a href={addressOf(cause)}>
        <SeverityMark severity={cause.severity} />
        <span class="what">
          <strong>
            <Sentence of={main} />
          </strong>
          <span class="quiet">
            <Sentence of={more} />
          </span>
        </span>
        <Size cause={cause} />
        <Day cause={cause} />
        <span class="when quiet">
          <Time at={cause.since} form="age" />
        </span>
        <span class="who">
          <Sentence of={whoWords(cause)} />
        </span>
        <span class="clock">
          {left === null ? null : <Ring left={left} />}
          {clock ? (
            <span>
              <Sentence of={clock} />
            </span>
          ) : null}
        </span>
      </a>
      {mayTake && isTakeable(cause) ? (
        <button
          type="button"
          class="button small"
          aria-label={plainText({ text: 'Take: {what}', parts: { what: plainText(main) } })}
          onClick={() => void take(cause, onTaken)}
        >
          Take
        </button>
      ) : null}
    </li>
  );
}

/** How much of the place is concerned, as a bar. The words beside it say the same. */
function Size({ cause: { cameras, of } }: { cause: Cause }): JSX.Element {
  const part = cameras !== null && of ? Math.min(1, cameras / of) : null;
  return (
    <span class="size" aria-hidden="true">
      {part === null ? null : (
        <span class="size-bar">
          <span style={{ width: `${Math.max(3, part * 100)}%` }} />
        </span>
      )}
    </span>
  );
}

/** When it was so in the last 24 hours: the spells of an outage, or since when it has been so. */
function Day({ cause: { severity, spells, since } }: { cause: Cause }): JSX.Element {
  const now = useNow();
  const spans = darkSpans(spells.length > 0 ? spells : [{ darkAt: since, litAt: null }], now - dayMs, now);
  return (
    <span class={`day-strip day-${severity}`} aria-hidden="true" title="The last 24 hours">
      <Strip spans={spans} words="" />
    </span>
  );
}

function Rest({
  now: { causes, rest },
  shown,
  onAll,
}: {
  now: Now;
  shown: number;
  onAll: () => void;
}): JSX.Element | null {
  const further = severities.flatMap((severity) =>
    rest[severity] > 0 ? [`${rest[severity]} ${severityNames[severity]}`] : [],
  );
  if (shown === causes.length && further.length === 0) return null;
  return (
    <p class="more-causes">
      {shown < causes.length ? (
        <button type="button" class="plain" onClick={onAll}>
          <Sentence of={{ text: '{count} more', parts: { count: causes.length - shown } }} />
        </button>
      ) : null}
      {further.length > 0 ? (
        <Sentence of={{ text: 'Not listed: {counts}', parts: { counts: further.join(', ') } }} />
      ) : null}
    </p>
  );
}
