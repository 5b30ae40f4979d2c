import type { JSX } from 'preact';
import { useMay } from '../../client/auth.ts';
import { useFleet, useWrong } from '../../client/fleet.ts';
import { Sentence } from '../../components/sentence.tsx';
import { useNow } from '../../format.ts';
import { asOfWords, calmWords, clockWords, headline, whoWords } from './cause-words.ts';
import { addressOf, isTakeable, take } from './take.ts';

/** The page in one sentence: the worst cause, who has it and how long is left; or that nothing is wrong, where that is known. */
export function Headline(): JSX.Element {
  const wrong = useWrong();
  const fleet = useFleet();
  const now = useNow();
  const mayTake = useMay('alerts:write');
  const [worst] = wrong.data?.causes ?? [];
  if (worst) {
    const clock = clockWords(worst, now);
    return (
      <p class={`headline headline-${worst.severity}`}>
        <a href={addressOf(worst)}>
          <Sentence of={headline(worst)} />
        </a>{' '}
        <span>
          <Sentence of={whoWords(worst)} />.
        </span>{' '}
        {clock ? (
          <span>
            <Sentence of={clock} />.
          </span>
        ) : null}
        {mayTake && isTakeable(worst) ? (
          <button type="button" class="button primary" onClick={() => void take(worst, wrong.reload)}>
            Take it
          </button>
        ) : null}
      </p>
    );
  }
  const isKnown = wrong.data !== null && fleet.data !== null && asOfWords(wrong.data, now) === null;
  if (!isKnown || !fleet.data)
    return <p class="headline headline-unsure">{fleet.data ? 'What is wrong now is not known yet.' : 'Reading …'}</p>;
  const isCalm = fleet.data.platform.state === 'sees';
  return (
    <p class={`headline ${isCalm ? 'headline-calm' : 'headline-unsure'}`}>
      <Sentence of={calmWords(fleet.data)} />
    </p>
  );
}
