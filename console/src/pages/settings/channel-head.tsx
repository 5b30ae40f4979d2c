import type { JSX } from 'preact';
import { channelNames, channels } from '../../model.ts';

/** The head of a table with a column for each channel. */
export function ChannelHead({ first }: { first: string }): JSX.Element {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {channels.map((channel) => (
          <th scope="col" key={channel}>
            {channelNames[channel]}
          </th>
        ))}
      </tr>
    </thead>
  );
}
