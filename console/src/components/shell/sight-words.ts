import type { Fleet } from '../../../../shared/schema/fleet/fleet.ts';
import type { WayName } from '../../../../shared/schema/vocabulary.ts';
import { duration, shortTime } from '../../format.ts';

type SightWords = { tone: 'bad' | 'wait'; title: string; since: string; text: string };

const wayTitles: Record<WayName, string> = { broker: 'the MQTT broker', ingest: 'Pub/Sub and ingest' };

function unprovenWords({ ways }: Fleet['platform']): SightWords | null {
  const unproven = ways.flatMap(({ name, state }) => (state === 'unproven' ? wayTitles[name] : []));
  if (unproven.length === 0) return null;
  const text =
    'What Watchpost sends there itself never came back, so it sees the cameras by their reports alone: alerting works, but a path that ' +
    'breaks is noticed only when many cameras fall silent together. The runbook says what is missing (Canary missing).';
  return { tone: 'wait', title: `The way through ${unproven.join(' and ')} is unproven`, since: '', text };
}

/** What the service cannot see now, since when, and what still works. Null while it sees. */
export function sightWords({ platform, devices }: Fleet, nowMs: number): SightWords | null {
  const { state, since, horizonAt } = platform;
  if (state === 'sees') return unprovenWords(platform);
  const began = since ? ` since ${shortTime(since)}, ${duration(nowMs - Date.parse(since))}` : '';
  const upTo = horizonAt ? `Everything up to ${shortTime(horizonAt)} is in. ` : '';
  if (state === 'lags') {
    const text = `${upTo}What happened after that may still be on its way. No camera is taken for lost meanwhile.`;
    return { tone: 'wait', title: 'Reports come late', since: began, text };
  }
  if (devices.online === null || since === null) {
    const title = `Watchpost has not looked at the fleet${since ? '' : ' yet'}`;
    const text = 'Who is online is not known, and no silence is noticed. Reports that come still raise alerts.';
    return { tone: 'bad', title, since: began, text };
  }
  const blind = platform.ways.flatMap((way) => (way.state === 'blind' ? wayTitles[way.name] : []));
  const through = blind.length > 0 ? `Nothing comes through ${blind.join(' and ')}. ` : '';
  const text = `${through}${upTo}No camera is taken for lost or silent. Acknowledging, escalations and messages work.`;
  return { tone: 'bad', title: 'Watchpost is blind', since: began, text };
}
