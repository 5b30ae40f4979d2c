import type { JSX } from 'preact';
import type { Shift, ShiftItem } from '../../../../shared/schema/fleet/shift.ts';
import { useResource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { SeverityMark } from '../../components/alert/severity.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { Icon } from '../../components/icons.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { channelWords } from '../../components/shell/channel-words.ts';
import { endpointWords } from '../../components/shell/endpoint-words.ts';
import { Show } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { handsOf, headlineOf, placeOf, states, textOf, untoldOf } from './shift-words.ts';
import './shift.css';

/** The sheet of a hand-over: what is open, in whose hands, what is silent and until when, what people were not told, and who takes over. */
export function ShiftPage(): JSX.Element {
  const shift = useResource<Shift>('/v1/shift', { on: ['alert', 'incident'], everyMs: 60_000, calmMs: 15_000 });
  return (
    <section class="pane shift">
      <a class="back" href={href([])}>
        <Icon name="back" /> Now
      </a>
      <header class="page-head">
        <h1>Hand over</h1>
        <span class="spacer" />
        {shift.data ? <CopyButton text={textOf(shift.data, location.href)} label="Copy the sheet as text" /> : null}
        <button type="button" class="button" onClick={() => print()}>
          Print
        </button>
      </header>
      <Show of={shift} lines={10}>
        {(data) => <Sheet shift={data} />}
      </Show>
    </section>
  );
}

function Sheet({ shift }: { shift: Shift }): JSX.Element {
  const untold = untoldOf(shift);
  const failing = [...(channelWords(shift.channels)?.lines ?? []), ...shift.endpoints.map(endpointWords)];
  return (
    <>
      <p class="lead">
        <strong>
          <Sentence of={headlineOf(shift)} />
        </strong>{' '}
        <span class="quiet">
          As of <Time at={shift.generatedAt} />
        </span>
      </p>
      {states.map(([state, title]) => (
        <Part key={state} title={title} items={shift.items.filter((item) => item.state === state)} />
      ))}
      {failing.length > 0 || untold.length > 0 ? (
        <section class="panel" aria-labelledby="untold">
          <h2 id="untold">What people were not told</h2>
          <ul class="plain-list">
            {failing.map((line) => (
              <li key={line}>{line}</li>
            ))}
            {untold.map((said, index) => (
              <li key={index}>
                <Sentence of={said} />
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <TakesOver teams={shift.onCall} />
    </>
  );
}

function Part({ title, items }: { title: string; items: readonly ShiftItem[] }): JSX.Element | null {
  if (items.length === 0) return null;
  return (
    <section class="panel" aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
        <span class="quiet">{items.length.toLocaleString()}</span>
      </header>
      <ul class="shift-items">
        {items.map((item) => (
          <li key={item.id}>
            <a href={href([item.about === 'alert' ? 'alerts' : 'incidents', item.id])}>
              <SeverityMark severity={item.severity} />
              <span class="what">
                <strong>{item.title}</strong> <bdi class="quiet">{placeOf(item)}</bdi>
              </span>
              <span class="hands">
                <Sentence of={handsOf(item)} />
              </span>
              <span class="when quiet">
                <Time at={item.startedAt} form="age" />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function TakesOver({ teams }: { teams: Shift['onCall'] }): JSX.Element | null {
  if (!teams || teams.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="takes-over">
      <h2 id="takes-over">Who is on call</h2>
      <ul class="plain-list">
        {teams.flatMap(({ team, rotations }) =>
          rotations.map(({ now, next }, index) => {
            const parts = { team, now: now?.name ?? 'nobody', next: next?.name ?? '' };
            return (
              <li key={`${team} ${index}`}>
                <Sentence of={{ text: next ? '{team}: {now}, then {next}' : '{team}: {now}', parts }} />
                {next?.from ? (
                  <span class="quiet">
                    {' '}
                    (<Time at={next.from} form="full" />)
                  </span>
                ) : null}
              </li>
            );
          }),
        )}
      </ul>
    </section>
  );
}
