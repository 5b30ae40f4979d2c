import { Fragment, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Explanation } from '../../../../shared/schema/alert/life.ts';
import { at } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { isAbout } from '../../client/stream.ts';
import { channelNames } from '../../model.ts';
import { Empty, Show } from '../states.tsx';
import { Time } from '../time.tsx';
import type { Noun } from './actions.ts';

const decidedBy: Record<Explanation['channelsBy'], string> = {
  matrix: 'The settings decide the channels by severity',
  rules: 'Rules decide the channels',
  suppressed: 'A rule suppresses it',
};

/** Who was notified of an alert or an incident and why, who was not, and what happens next. */
export function Explain({ noun, id, changes }: { noun: Noun; id: string; changes: number }): JSX.Element {
  const explained = useResource<Omit<Explanation, 'alertId'>>(at(noun, id, 'explain'), {
    on: ['alert', 'incident'],
    isAbout: isAbout(noun, id),
  });
  useEffect(() => {
    if (changes > 0) void explained.reload();
  }, [changes]);
  return (
    <Show of={explained}>
      {(data) => (
        <>
          <p class="quiet">
            {decidedBy[data.channelsBy]}
            {data.channels.length > 0 ? `: ${data.channels.map((channel) => channelNames[channel]).join(', ')}` : ''}.
          </p>
          {data.rules.length > 0 ? (
            <p>
              Rules:{' '}
              {data.rules.map(({ ruleId, name }) => (
                <a key={ruleId} href={href(['rules', ruleId])}>
                  {name}
                </a>
              ))}
            </p>
          ) : null}
          <NotifiedList list={data.notified} />
          <NotNotifiedList list={data.notNotified} />
          <Next list={data.next} />
        </>
      )}
    </Show>
  );
}

function NotifiedList({ list }: { list: Explanation['notified'] }): JSX.Element {
  if (list.length === 0) return <Empty title="Nobody has been notified yet" />;
  return (
    <>
      <h3>Notified</h3>
      <ul class="notified">
        {list.map(({ at: instant, because, channel, team, target, how, deliveryStatus, resent }, index) => (
          <li key={`${instant} ${index}`}>
            <Time at={instant} />
            <span class="chip">{channelNames[channel]}</span>
            <span>{[team, target].filter(Boolean).join(' · ')}</span>
            <span class="quiet">
              {because}
              {how === 'digest' ? ', in a digest' : ''}
              {deliveryStatus ? `, ${deliveryStatus}` : ''}
              {resent.map(({ at: sentAt, status }) => (
                <Fragment key={sentAt}>
                  , sent again <Time at={sentAt} />: {status}
                </Fragment>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function NotNotifiedList({ list }: { list: Explanation['notNotified'] }): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <>
      <h3>Not notified</h3>
      <ul class="notified">
        {list.map(({ at: instant, channel, team, detail }, index) => (
          <li key={`${instant} ${index}`}>
            <Time at={instant} />
            {channel ? <span class="chip">{channelNames[channel]}</span> : null}
            {team ? <span>{team}</span> : null}
            <span class="quiet">{detail}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Next({ list }: { list: Explanation['next'] }): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <>
      <h3>Next</h3>
      <ul class="notified">
        {list.map(({ at: instant, what }) => (
          <li key={instant + what}>
            <Time at={instant} form="age" /> {what}
          </li>
        ))}
      </ul>
    </>
  );
}
