import type { Schemas } from '../../sdk/typescript/src/index.ts';
import { explanationLines, reasonOf } from './explanation.ts';

/** An answer to "why": one sentence, and what it follows from. */
export type Answer = { sentence: string; evidence: string[] };

type Alert = Schemas['Alert'];
type Incident = Schemas['Incident'];

/** Why a camera is in its state, in the words of the service. */
export function whyDevice({ deviceId, state, since, sentence, evidence, incident }: Schemas['DeviceWhy']): Answer {
  const is = state === 'never-seen' ? 'was never seen' : `is ${state}`;
  return {
    sentence: `${deviceId} ${is}${since === null ? '' : ` since ${since}`}. ${sentence}`,
    evidence: [
      ...evidence.map(({ at, text }) => `${at === null ? '' : `${at}: `}${text}.`),
      ...(incident ? [`Incident ${incident.incidentId}: ${incident.title}.`] : []),
      ...(state === 'never-seen'
        ? ['Does its account at the broker exist? watchpost broker-accounts --check FILE.']
        : []),
    ],
  };
}

type Explanation = Parameters<typeof explanationLines>[0];

/** Why people were told of an alert or incident, or were not. `what`: what it is, as in "CONN_001 of Gate 2". */
export function whyTold(what: string, seen: string, explanation: Explanation): Answer {
  return { sentence: toldSentence(what, explanation), evidence: [seen, ...explanationLines(explanation)] };
}

function toldSentence(what: string, { notified, notNotified, channelsBy }: Explanation): string {
  const [first] = notified;
  if (first) {
    const targets = new Set(notified.map(({ channel, target }) => `${channel} to ${target}`));
    const others = targets.size - 1;
    const more = others === 0 ? '' : ` and ${others} more`;
    return `People were told of ${what} at ${first.at}, because ${reasonOf(first.because)}: by ${first.channel} to ${first.target}${more}.`;
  }
  if (channelsBy === 'suppressed') return `Nobody was told of ${what}: a rule suppresses it.`;
  const last = notNotified.at(-1);
  const latest = notNotified.filter(({ at, because }) => at === last?.at && because === last.because);
  const details = [...new Set(latest.map(({ detail }) => detail.replace(/\.$/, '')))];
  return `Nobody was told of ${what}${details.length === 0 ? '' : `: ${details.join('; ')}`}.`;
}

export function seenOfAlert({ message, timestamp, severity, occurrences, status }: Alert): string {
  const often = occurrences > 1 ? `, seen ${occurrences} times` : '';
  return `${severity} since ${timestamp}: ${message}${often}. It is ${status}.`;
}

export function seenOfIncident({ title, startedAt, severity, evidence, status }: Incident): string {
  return `${severity} since ${startedAt}: ${title}. ${evidence.join(' ')} It is ${status}.`;
}
