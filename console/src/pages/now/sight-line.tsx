import type { JSX } from 'preact';
import type { Fleet } from '../../../../shared/schema/fleet/fleet.ts';
import { Time } from '../../components/time.tsx';

/** How current the page is. The banner above the page reports a fault of the service's own sight. */
export function SightLine({ platform }: Pick<Fleet, 'platform'>): JSX.Element | null {
  const { state, horizonAt, lastReportAt } = platform;
  if (state !== 'sees' || !horizonAt) return null;
  return (
    <p class="sight-line quiet">
      Watchpost sees the fleet: nothing is missing up to <Time at={horizonAt} form="age" />
      {lastReportAt ? (
        <>
          , last report <Time at={lastReportAt} form="age" />
        </>
      ) : null}
      .
    </p>
  );
}
