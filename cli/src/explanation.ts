import type { Schemas } from '../../sdk/typescript/src/index.ts';

type Explanation = Omit<Schemas['Explanation'], 'alertId'>;

/** Why a change of an alert or incident told people. */
const reasons: Readonly<Record<string, string>> = {
  open: 'it was opened',
  announce: 'it lasted',
  worsen: 'it got worse',
  widen: 'it is wider than was told before',
  return: 'it came back',
  escalate: 'nobody had answered',
  remind: 'it is still open',
  unsnooze: 'its snooze was ended',
  'snooze-end': 'its snooze was over',
  acknowledge: 'somebody acknowledged it',
  resolve: 'somebody resolved it',
  reopen: 'somebody reopened it',
  end: 'it was over',
};

export function reasonOf(change: string): string {
  return reasons[change] ?? `of the change "${change}"`;
}

const ofTeam = (team: string | null) => (team === null ? '' : ` of team ${team}`);

/** An explanation in sentences, in the order of time. */
export function explanationLines({ rules, channels, channelsBy, notified, notNotified, next }: Explanation): string[] {
  const told = notified.map(({ at, because, channel, team, target, how, deliveryStatus }) => {
    const digest = how === 'digest' ? ', together with others in a digest' : '';
    return {
      at,
      text: `${at}, because ${reasonOf(because)}: ${channel} to ${target}${ofTeam(team)}${digest}: ${deliveryStatus ?? 'not sent yet'}.`,
    };
  });
  const untold = notNotified.map(({ at, because, channel, team, detail }) => ({
    at,
    text: `${at}, when ${reasonOf(because)}: no ${channel ?? 'message'}${team === null ? '' : ` to team ${team}`}: ${sentence(detail)}`,
  }));
  const steps = [...told, ...untold].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return [
    rules.length === 0 ? 'No rule matched.' : `Rules that matched: ${rules.map(({ name }) => name).join(', ')}.`,
    wayOf(channelsBy, channels),
    ...(steps.length === 0 ? ['Nobody has been notified.'] : steps.map(({ text }) => text)),
    ...(next.length === 0
      ? ['Nothing more will happen by itself.']
      : next.map(({ at, what }) => `Next, at ${at}: ${sentence(what)}`)),
  ];
}

function wayOf(by: Explanation['channelsBy'], channels: readonly string[]): string {
  if (by === 'suppressed') return 'A rule suppresses it: nobody is notified.';
  const list = channels.length === 0 ? 'none' : channels.join(', ');
  return by === 'rules' ? `Channels, changed by rules: ${list}.` : `Channels, from the settings: ${list}.`;
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
