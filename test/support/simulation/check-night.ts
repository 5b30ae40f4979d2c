import { type Dark, type Night, type Notified, nightSeconds, type Outage } from './night.ts';

/** The result for a night's messages. Each finding is a line. */
export type NightFindings = { untrue: string[]; unended: string[]; unnotified: string[] };

/** Seconds: a loss counts after five minutes, the horizon is at most two minutes behind, and four more minutes are allowed. */
const notifiedWithin = (5 + 2 + 4) * 60;
/** Places are counted each minute, so a message may contain the previous count. */
const lookedAtEach = 60;
const channels = ['sms', 'email', 'chat'] as const;

/** A phone gets at most this many messages per hour, of which some are kept for outages; then one notice about it. */
const mostInHour = { ofOutages: 20, ofCameras: 12 };
const isHourUsedUp = /^SMS LIMIT: /;

/** The claim of a message about a camera or a place. `since`: the hour and minute of the beginning in the message. */
type Claim = { of: string; isOver: boolean; since: string | null };
/** The content of one message: how many things began and ended, and which ones it names. */
type Read = { claims: Claim[]; began: number; ended: number };

/**
 * Reads every message like a person and compares it with the truth at the second when it was sent. Uses the script of the night and none of the
 * service's records.
 */
export function checkNight(night: Night, startsAt: string, notified: readonly Notified[]): NightFindings {
  const findings: NightFindings = { untrue: [], unended: [], unnotified: [] };
  const balance = new Map<string, number>(channels.map((channel) => [channel, 0]));
  for (const message of notified) {
    const read = readMessage(message);
    const shown = `${message.second} ${message.channel}: ${message.text.slice(0, 200)}`;
    if (!read) findings.untrue.push(`nobody can tell what it says: ${shown}`);
    else findings.untrue.push(...untrueIn(night, startsAt, message, read).map((what) => `${what}: ${shown}`));
    const sum = (balance.get(message.channel) ?? 0) + (read?.began ?? 0) - (read?.ended ?? 0);
    balance.set(message.channel, sum);
  }
  const lasting = night.darks.filter(({ from, to }) => to > nightSeconds && from + notifiedWithin < nightSeconds);
  const late = night.darks.filter(({ from, to }) => to > nightSeconds && from + notifiedWithin >= nightSeconds).length;
  for (const [channel, open] of balance)
    if (channel === 'sms' && notified.some(({ text }) => isHourUsedUp.test(text))) continue;
    else if (open < lasting.length || open > lasting.length + late)
      findings.unended.push(`${channel}: ${open} that began were not announced to be over, ${lasting.length} last on`);
  const failures = [
    ...night.outages.map(({ name, from }) => ({ name, from, most: mostInHour.ofOutages })),
    ...lasting.map(({ deviceId, from }) => ({ name: deviceId, from, most: mostInHour.ofCameras })),
  ];
  for (const { name, from, most } of failures)
    for (const channel of channels) {
      const first = notified.find(
        (each) => each.channel === channel && each.second >= from && mentions(each.text, name),
      );
      const isLate = !first || first.second > from + notifiedWithin;
      if (isLate && !(channel === 'sms' && isSpent(notified, from + notifiedWithin, most)))
        findings.unnotified.push(`${name} by ${channel}`);
    }
  return findings;
}

function isSpent(notified: readonly Notified[], at: number, most: number): boolean {
  return (
    notified.filter(({ channel, second }) => channel === 'sms' && at - 3600 < second && second <= at).length >= most
  );
}

function untrueIn(night: Night, startsAt: string, { second, text }: Notified, { claims }: Read): string[] {
  return claims.flatMap(({ of, isOver, since }) => {
    const dark = lastBefore(
      night.darks.filter(({ deviceId }) => of.endsWith(` / ${deviceId}`)),
      second,
    );
    const named = dark ? [] : night.outages.filter(({ name }) => mentions(of, name));
    const outage = lastBefore(named, second);
    const meant = outage ?? dark;
    if (!meant) return [`${of} never failed`];
    const wrong = since !== null && since !== clockAt(startsAt, meant.from) ? [`it began at second ${meant.from}`] : [];
    const cameras = outage?.cameras ?? [dark?.deviceId ?? ''];
    const countAt = (at: number) =>
      cameras.filter((deviceId) =>
        night.darks.some((each) => each.deviceId === deviceId && each.from <= at && at < each.to),
      ).length;
    const count = Math.max(countAt(second), outage && !isOver ? countAt(second - lookedAtEach) : 0);
    if (isOver ? count > cameras.length / 2 : count <= cameras.length / 2)
      wrong.push(`${count} of ${cameras.length} are dark`);
    const counts = isOver || !outage ? [] : [...text.matchAll(/(\d+) of (\d+) cameras/g)];
    for (const [said] of counts)
      if (!said.startsWith(`${count} of ${cameras.length} `)) wrong.push(`${count} are dark, not ${said}`);
    return wrong;
  });
}

function lastBefore<T extends Dark | Outage>(spans: readonly T[], second: number): T | undefined {
  return spans.filter(({ from }) => from <= second).toSorted((a, b) => b.from - a.from)[0];
}

function readMessage({ channel, text }: Notified): Read | null {
  const said = channel === 'chat' ? readChat(text) : text;
  const [title = ''] = said.split('\n');
  const subject = title.replace(/^(?:\[CRITICAL\]|CRIT) /, '');
  if (isHourUsedUp.test(subject)) return { claims: [], began: 0, ended: 0 };
  if (
    /^Digest: |^\d+ alerts? |^Over: /.test(subject) ||
    /; \d+ alerts? |, still without an answer|, escalated/.test(subject)
  )
    return readDigest(subject, said);
  const over = /^(?:Outage (?:at|behind) )?(.+): over, (?:offline )?from (\d\d:\d\d) to /.exec(subject);
  if (over?.[1]) return { claims: [{ of: over[1], isOver: true, since: over[2] ?? null }], began: 0, ended: 1 };
  const urged = /^(?:Outage (?:at|behind) )?(.+?): (?:escalated to|reminder|.* has it,).* since (\d\d:\d\d)/.exec(
    subject,
  );
  if (urged?.[1]) return { claims: [{ of: urged[1], isOver: false, since: urged[2] ?? null }], began: 0, ended: 0 };
  const began = /^(?:Outage (?:at|behind) )?(.+?)(?: offline)? since (\d\d:\d\d)/.exec(subject);
  if (began?.[1]) return { claims: [{ of: began[1], isOver: false, since: began[2] ?? null }], began: 1, ended: 0 };
  return null;
}

function readChat(text: string): string {
  const { text: title, attachments } = JSON.parse(text) as { text: string; attachments?: { text: string }[] };
  return [title, ...(attachments ?? []).map((each) => each.text)].join('\n');
}

/** The counts of a digest, and the names of the most severe entries. */
function readDigest(subject: string, text: string): Read {
  const countOf = (what: RegExp) => [...subject.matchAll(what)].reduce((sum, [, count]) => sum + Number(count ?? 0), 0);
  const incidents = [...subject.matchAll(/(Over: )?Outage (?:at|behind) ([^;,.]+)(,)?/g)];
  const gravest = [...text.matchAll(/^CRITICAL (.+) offline$/gm)];
  const ended = incidents.filter(([, over]) => over !== undefined).length;
  // Text after a comma is an update of an incident that was notified before.
  const began = incidents.filter(([, over, , news]) => over === undefined && news === undefined).length;
  return {
    claims: [
      ...incidents.map(([, over, of = '']) => ({ of, isOver: over !== undefined, since: null })),
      ...gravest.map(([, of = '']) => ({ of, isOver: false, since: null })),
    ],
    began: began + countOf(/(\d+) alerts? opened/g),
    ended: ended + countOf(/(\d+) alerts? over/g),
  };
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text);
}

function clockAt(startsAt: string, second: number): string {
  return new Date(Date.parse(startsAt) + second * 1000).toISOString().slice(11, 16);
}
