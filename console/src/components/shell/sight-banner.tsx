import type { JSX } from 'preact';
import { useFleet } from '../../client/fleet.ts';
import { href } from '../../client/router.ts';
import { useNow } from '../../format.ts';
import { sightWords } from './sight-words.ts';

/** Shows what the service itself cannot see, above each page while that lasts. */
export function SightBanner(): JSX.Element {
  const { data } = useFleet();
  const now = useNow();
  const words = data && sightWords(data, now);
  const incidentId = data?.platform.incidentId;
  return (
    <div class="sight-place">
      {/* Only the fact is announced: its age would be read out again and again. */}
      <p class="unseen" role="status">
        {words?.title}
      </p>
      {words ? (
        <section class={`sight-banner ${words.tone}`} aria-label="What Watchpost can see">
          <strong>
            {words.title}
            {words.since}.
          </strong>{' '}
          {words.text} {incidentId ? <a href={href(['incidents', incidentId])}>Open the incident</a> : null}
        </section>
      ) : null}
    </div>
  );
}
