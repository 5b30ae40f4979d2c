import type { ComponentChildren, JSX } from 'preact';
import type { Device } from '../../../../shared/schema/device/device.ts';
import type { ShownGuardianStatus } from '../../../../shared/schema/vocabulary.ts';
import { href } from '../../client/router.ts';
import { Facts } from '../../components/facts.tsx';
import { Time } from '../../components/time.tsx';
import { plural } from '../../format.ts';

const statuses: Record<ShownGuardianStatus, [tone: string, words: string]> = {
  ok: ['good', 'Well'],
  blind: ['bad', 'Cannot read the configuration'],
  'golden-refused': ['bad', 'Refuses its golden configuration'],
  'heal-failed': ['bad', 'Could not heal the configuration'],
  silent: ['bad', 'Says nothing any more'],
};

/** The known state of a camera's guardian. */
export function DeviceGuardian({ guardian, deviceId }: Pick<Device, 'guardian' | 'deviceId'>): JSX.Element {
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Guardian</h2>
        <a href={href(['guardian'], { deviceId })}>What it reported</a>
      </header>
      {guardian ? (
        <Known guardian={guardian} />
      ) : (
        <p class="quiet">None: no guardian was ever enrolled on this camera.</p>
      )}
    </section>
  );
}

function Known({ guardian }: { guardian: NonNullable<Device['guardian']> }): JSX.Element {
  const { status, reason, lastSeenAt, goldenGeneration, enrolled, alertsMissing } = guardian;
  const [tone, words] = status ? statuses[status] : ['', 'It has not said yet'];
  const missing: ComponentChildren =
    alertsMissing > 0 ? <span class="chip bad">{plural(alertsMissing, 'alert')} that never came</span> : null;
  return (
    <Facts
      facts={[
        [
          'State',
          <span key="state" class={`chip ${tone}`}>
            {words}
          </span>,
        ],
        ['Why', reason],
        ['Last seen', lastSeenAt ? <Time key="seen" at={lastSeenAt} form="age" /> : 'Never'],
        ['Golden generation', goldenGeneration ?? 'None'],
        ['Enrolled', enrolled ? 'Yes, its key is registered' : 'No, what it says is not signed'],
        ['Missing', missing],
      ]}
    />
  );
}
