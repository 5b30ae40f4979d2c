import { describe, expect, test } from 'vitest';
import { clockAt } from '../../support/night/clock.ts';
import { judgeNight } from '../../support/night/judge.ts';
import type { Call, Letter, Lived } from '../../support/night/live.ts';
import { nightBegins } from '../../support/night/live.ts';
import { createReader } from '../../support/night/reader.ts';
import { sizes, writeNight } from '../../support/night/script.ts';

const minute = 60;
const script = writeNight(1, sizes.small);
const outageOf = (name: string) => {
  const outage = script.outages.find((each) => each.name === name);
  if (!outage) throw new Error(`no outage ${name}`);
  return outage;
};
const [nested, provider, slow] = [outageOf('nested site'), outageOf('provider around it'), outageOf('slow return')];
/** A camera that fails for good or for a while, far from any outage. */
const lone = script.cameras.find(({ deviceId, site, isSilent }) => {
  const [first] = script.dark.get(deviceId) ?? [];
  return (
    !isSilent &&
    site === 'depot-11' &&
    first &&
    first.to - first.from > 10 * minute &&
    first.to < script.seconds - 30 * minute
  );
});
if (!lone) throw new Error('no lone camera');
const [gone = { from: 0, to: 0 }] = script.dark.get(lone.deviceId) ?? [];
const healthy = script.cameras.find(
  ({ deviceId, site }) => site === 'depot-11' && script.dark.get(deviceId)?.length === 0,
);
const troubled = script.troubles.find(({ kind, to }) => kind === 'memory' && to < script.seconds);
const site = 'Depå 05';
const whole = 21;
const at = clockAt;
const [flaps, third] = [outageOf('flap 1'), outageOf('flap 3')];
/** Cameras of the provider that were lit some time before it went dark. */
const newlyDark = 126 - notLitAt('telia', provider.from - 900);
/** Cameras of a group outside the site. */
const elsewhere = script.cameras.filter(({ groupId, site: of }) => groupId === 'town' && of !== 'depot-05');
/** Eight minutes after the site went dark, and eight minutes after it came back. */
const during = nested.from + 8 * minute;
const afterwards = nested.to + 3 * minute;
const litElsewhere = elsewhere.filter(({ deviceId }) =>
  (script.dark.get(deviceId) ?? []).every(({ from, to }) => during < from || to <= during),
).length;

const mail = (second: number, ...lines: string[]): Letter => ({
  second,
  to: 'operations: operations@night.test',
  channel: 'email',
  text: lines.join('\n'),
});
const sms = (second: number, text: string): Letter => ({
  second,
  to: 'operations: +46700000001',
  channel: 'sms',
  text,
});
const livedOf = (letters: Letter[], given: Partial<Lived> = {}): Lived => ({
  letters,
  calls: [],
  acts: [],
  stats: {},
  ...given,
});
const findingsIn = (letters: Letter[], given: Partial<Lived> = {}) =>
  judgeNight(script, livedOf(letters, given)).findings;
const kindsOf = (letters: Letter[], given: Partial<Lived> = {}) =>
  [...new Set(findingsIn(letters, given).map(({ kind }) => kind))].toSorted();

const opening = mail(
  during,
  `[CRITICAL] Outage at ${site} since ${at(nested.from)}`,
  '',
  `${whole} of ${whole} cameras at ${site} are dark.`,
);
const taken = { second: during + 180, by: 'operations', answered: opening, isByLink: true, listed: [] };

describe('true messages are found true, in the words of today and in better ones', () => {
  test.each<[string, Letter[], Partial<Lived>?]>([
    ['an outage', [opening]],
    [
      'an outage in few words',
      [
        sms(
          during,
          `CRIT ${site} dark since ${at(nested.from)}, ${whole} of ${whole}. Nobody has any of it. wp.night.test/t/0123456789012345678901`,
        ),
      ],
    ],
    [
      'bounds of the last report',
      [
        mail(
          during,
          `[CRITICAL] Outage at ${site} since ${at(nested.from)}`,
          `Last report ${at(nested.from - minute)} to ${at(nested.from + minute)}.`,
        ),
      ],
    ],
    [
      'the end of a provider, which names cameras that are still dark',
      [
        mail(
          slow.to + 200,
          `[CRITICAL] Outage behind provider Tele2 fibre: over, from ${at(slow.from)} to ${at(slow.to + 170)}`,
          '',
          `42 of 42 back after 32 min, 0 still dark: Kamera 06-018.`,
        ),
      ],
    ],
    [
      'how many report elsewhere in a group',
      [mail(during, opening.text, `${litElsewhere} of ${elsewhere.length} elsewhere in group town report`)],
    ],
    [
      'its end',
      [
        opening,
        mail(
          afterwards,
          `[CRITICAL] Outage at ${site}: over, from ${at(nested.from)} to ${at(nested.to)} (1 h 10 min)`,
          `${whole} back after 1 h 10 min.`,
        ),
      ],
    ],
    [
      'its end in few words',
      [
        opening,
        sms(afterwards, `OK ${site}: all ${whole} back, ${at(nested.from)} to ${at(nested.to)}. operations had it.`),
      ],
      { acts: [taken] },
    ],
    [
      'who has it',
      [
        mail(
          during + 300,
          `[CRITICAL] Outage at ${site}: operations has it, since ${at(nested.from)}`,
          `operations has it since ${at(taken.second)}.`,
        ),
      ],
      { acts: [taken] },
    ],
    [
      'that nobody has answered',
      [
        opening,
        mail(
          during + 300,
          `[CRITICAL] Outage at ${site}: escalated to duty, since ${at(nested.from)}`,
          'Nobody has answered for 5 min.',
        ),
      ],
    ],
    [
      'a lone camera',
      [
        sms(
          gone.from + 480,
          `CRIT Depå 11 / ${lone.name} offline since ${at(gone.from)}. 1 of 21 at Depå 11. wp.night.test/t/0123456789012345678901`,
        ),
      ],
    ],
    [
      'a wider outage',
      [
        mail(
          provider.from + 480,
          `[CRITICAL] Wider than reported: now Telia fibre, 126 of 126 dark since ${at(provider.from)}; began at ${site} at ${at(nested.from)}`,
        ),
      ],
    ],
    [
      'a wider outage beside what was dark before',
      [
        mail(
          provider.from + 480,
          `[CRITICAL] Outage behind provider Telia fibre: wider than reported before, since ${at(provider.from)}`,
          `${newlyDark} of ${newlyDark} cameras behind provider Telia fibre are dark. ${126 - newlyDark} more were dark before.`,
          `It began at ${site}, ${Math.round((provider.from - nested.from) / minute)} min earlier. operations has that part.`,
        ),
      ],
      { acts: [taken] },
    ],
    [
      'a place that comes and goes',
      [
        mail(
          third.from + 480,
          `[CRITICAL] Outage at Depå 08 again, first at ${at(flaps.from)}`,
          'Dark again, for the 3rd time.',
        ),
        mail(
          third.to + 150,
          `[CRITICAL] Outage at Depå 08: over, from ${at(flaps.from)} to ${at(third.to)} (${Math.round((third.to - flaps.from) / minute)} min)`,
        ),
      ],
    ],
    [
      'a return in part',
      [
        mail(
          slow.to + 150,
          `[CRITICAL] Outage behind provider Tele2 fibre: ${litAt(slow.place, slow.to + 150)} of 42 back`,
        ),
      ],
    ],
  ])('%s', (_, letters, given) => {
    expect(findingsIn(letters, given)).toEqual([]);
  });
});

describe('a planted false message of each kind is found', () => {
  test.each<[string, string, Letter[], Partial<Lived>?]>([
    [
      'more than report elsewhere in a group',
      'count',
      [mail(during, opening.text, `${elsewhere.length} of ${elsewhere.length} elsewhere in group town report`)],
    ],
    ['a place that is not dark', 'place', [mail(during, `[CRITICAL] Outage at Depå 11 since ${at(nested.from)}`)]],
    ['a wider place than is dark', 'place', [mail(during, '[CRITICAL] Outage behind provider Telia fibre')]],
    ['a camera that reports', 'state', [mail(during, `[CRITICAL] Depå 11 / ${healthy?.name} offline`)]],
    ['another beginning', 'since', [mail(during, `[CRITICAL] Outage at ${site} since ${at(nested.from - 300)}`)]],
    [
      'another beginning of a wider place',
      'since',
      [mail(provider.from + 480, `[CRITICAL] Outage behind provider Telia fibre since ${at(nested.from)}`)],
    ],
    [
      'a count',
      'count',
      [
        mail(
          during,
          `[CRITICAL] Outage at ${site} since ${at(nested.from)}`,
          `12 of ${whole} cameras at ${site} are dark.`,
        ),
      ],
    ],
    [
      'a total',
      'total',
      [mail(during, `[CRITICAL] Outage at ${site} since ${at(nested.from)}`, `20 of 20 cameras at ${site} are dark.`)],
    ],
    [
      'a count of those elsewhere',
      'total',
      [
        mail(
          during,
          `[CRITICAL] Outage at ${site} since ${at(nested.from)}`,
          '900 of 901 elsewhere behind provider Telia fibre report',
        ),
      ],
    ],
    ['a count of those that are back', 'count', [mail(afterwards, `[CRITICAL] Outage at ${site}: over`, '126 back.')]],
    [
      'a count of those that are still dark',
      'count',
      [mail(afterwards, `[CRITICAL] Outage at ${site}: over`, '17 still dark.')],
    ],
    [
      'a count of those in maintenance',
      'count',
      [
        mail(
          during,
          `[CRITICAL] Outage at ${site} since ${at(nested.from)}`,
          '20 more are in maintenance until 14:00.',
        ),
      ],
    ],
    ['an end while it lasts', 'over', [mail(during + 600, `[CRITICAL] Outage at ${site}: over`)]],
    ['an end of a camera while it is dark', 'over', [mail(gone.from + 540, `[CRITICAL] Depå 11 / ${lone.name}: over`)]],
    [
      'another end',
      'until',
      [mail(afterwards, `[CRITICAL] Outage at ${site}: over, from ${at(nested.from)} to ${at(nested.to - 600)}`)],
    ],
    [
      'bounds that begin after the last report',
      'since',
      [
        mail(
          during,
          `[CRITICAL] Outage at ${site}`,
          `Last report ${at(nested.from + 180)} to ${at(nested.from + 240)}.`,
        ),
      ],
    ],
    [
      'bounds that end before the last report',
      'since',
      [
        mail(
          during,
          `[CRITICAL] Outage at ${site}`,
          `Last report ${at(nested.from - 600)} to ${at(nested.from - 480)}.`,
        ),
      ],
    ],
    ['a length', 'lasted', [mail(afterwards, `[CRITICAL] Outage at ${site}: over (12 min)`)]],
    [
      'how long it was dark',
      'lasted',
      [mail(afterwards, `[CRITICAL] Outage at ${site}: comes and goes, dark 3 of the last 42 min`)],
    ],
    ['a holder', 'who has it', [mail(during, `[CRITICAL] Outage at ${site}: acme has it since ${at(during)}`)]],
    [
      'a holder of a far wider place',
      'who has it',
      [
        mail(
          provider.from + 480,
          '[CRITICAL] Outage behind provider Telia fibre',
          `operations has it since ${at(taken.second)}.`,
        ),
      ],
      { acts: [taken] },
    ],
    [
      'that nobody has it',
      'who has it',
      [mail(during + 600, `[CRITICAL] Outage at ${site} since ${at(nested.from)}`, 'Nobody has it yet.')],
      { acts: [taken] },
    ],
    [
      'for how long nobody has answered',
      'unanswered',
      [
        opening,
        mail(
          during + 180,
          `[CRITICAL] Outage at ${site}: escalated to duty, since ${at(nested.from)}`,
          'Nobody has answered for 5 min.',
        ),
      ],
    ],
    [
      'that somebody was told',
      'unanswered',
      [mail(during, `[CRITICAL] Outage at ${site}: escalated to duty`, 'Nobody has answered for 5 min.')],
    ],
    [
      'how often it was dark',
      'tally',
      [mail(third.from + 480, '[CRITICAL] Outage at Depå 08', 'Dark again, for the 7th time.')],
    ],
    [
      'a span that hides its interruptions',
      'until',
      [mail(third.to + 150, `[CRITICAL] Outage at Depå 08: over, from ${at(flaps.from)} to ${at(third.to)}`)],
    ],
    [
      'how much earlier a part of it began',
      'since',
      [
        mail(
          provider.from + 480,
          '[CRITICAL] Outage behind provider Telia fibre',
          `It began at ${site}, 45 min earlier.`,
        ),
      ],
    ],
    [
      'a total without what was dark before, where nothing says so',
      'total',
      [
        mail(
          provider.from + 480,
          '[CRITICAL] Outage behind provider Telia fibre',
          '105 of 105 cameras behind provider Telia fibre are dark.',
        ),
      ],
    ],
    ['a sum', 'tally', [mail(during, '[CRITICAL] Digest: 300 alerts opened', '300 opened: offline 300; town 300')]],
    [
      'a part of a sum',
      'tally',
      [mail(during, '[CRITICAL] Digest: 2 alerts opened', '2 opened: storage low 2; town 2')],
    ],
    ['a trouble', 'trouble', [mail(during, `[ERROR] Depå 11 / ${healthy?.name} memory critical since ${at(during)}`)]],
    [
      'an end of a trouble',
      'trouble',
      [mail((troubled?.from ?? 0) + 60, `[ERROR] Depå 00 / ${nameOf(troubled?.deviceId)}: over, memory critical`)],
    ],
    [
      'a number that says nothing',
      'unreadable',
      [mail(during, `[CRITICAL] Outage at ${site} since ${at(nested.from)}`, 'Level 7 reached.')],
    ],
    [
      'a sentence that was cut in two',
      'unreadable',
      [sms(during, `CRIT Outage at ${site}; Outage at Depå 11; 25 alerts still without ...`)],
    ],
  ])('%s', (_, kind, letters, given) => {
    expect(kindsOf(letters, given)).toContain(kind);
  });

  const event = (second: number, change: string, groups: string[]): Call => ({
    second,
    to: 'https://acme.hooks.example.com/',
    body: {
      eventType: 'incident',
      timestamp: instant(second),
      change,
      incident: { incidentId: 'i-1', scope: { kind: 'site', id: 'depot-05' }, groups, startedAt: instant(nested.from) },
    },
  });
  test.each<[string, Call[]]>([
    ['an event about another group', [event(during, 'opened', ['town']), event(afterwards, 'resolved', ['town'])]],
    ['an event without its end', [event(during, 'opened', ['acme'])]],
    [
      'an event with another beginning',
      [
        {
          ...event(during, 'opened', ['acme']),
          body: {
            ...event(during, 'opened', ['acme']).body,
            incident: {
              ...(event(during, 'opened', ['acme']).body['incident'] as object),
              startedAt: instant(nested.from - 600),
            },
          },
        },
        event(afterwards, 'resolved', ['acme']),
      ],
    ],
  ])('%s', (_, calls) => {
    expect([...new Set(findingsIn([], { calls }).map(({ kind }) => kind))]).toEqual(['event']);
    const good = [event(during, 'opened', ['acme']), event(afterwards, 'resolved', ['acme'])];
    expect(findingsIn([], { calls: good })).toEqual([]);
  });
});

describe('a missed goal is found', () => {
  test('an opening whose end comes under another name, or never', () => {
    const end = (name: string) => mail(afterwards, `[CRITICAL] Outage at ${name}: over`);
    const unended = (letters: Letter[]) => judgeNight(script, livedOf(letters)).unended;
    expect(unended([opening, end(site)])).toEqual([]);
    expect(unended([opening])).toHaveLength(1);
    expect(unended([opening, end('Telia fibre')])).toHaveLength(1);
    // A count of ends names no place.
    expect(unended([opening, mail(afterwards, '[CRITICAL] Digest: 5 alerts over')])).toHaveLength(1);
  });

  test('faults of which no mail tells: none, those that a place names, those that a count contains', () => {
    const untold = (letters: Letter[]) => judgeNight(script, livedOf(letters)).untold;
    const all = untold([]);
    expect(all.length).toBe(judgeNight(script, livedOf([])).faults);
    expect(all.length - untold([opening]).length).toBe(whole);
    const digest = mail(gone.from + 480, '[CRITICAL] Digest: 1 alert opened', `1 opened: offline 1; ${lone.groupId} 1`);
    expect(all.length - untold([digest]).length).toBe(1);
    expect(untold([sms(during, opening.text)])).toEqual(all);
  });

  test('an outage that reaches the phone after eight minutes, or never', () => {
    const late = (after: number) =>
      judgeNight(
        script,
        livedOf([sms(nested.from + after, `CRIT Outage at ${site} since ${at(nested.from)}.`)]),
      ).late.filter((each) => each.startsWith('nested site'));
    expect(late(7 * minute)).toEqual([]);
    expect(late(9 * minute)).toEqual([expect.stringContaining('after 9.0 min')]);
    expect(late(-minute)).toEqual([expect.stringContaining('never')]);
  });

  test('a site that comes and goes is told once', () => {
    const flapping = `CRIT Outage at Depå 08: comes and goes, since ${at(flaps.from)}. wp.night.test/t/0123456789012345678901`;
    const late = (...letters: Letter[]) =>
      judgeNight(script, livedOf(letters)).late.filter((each) => each.startsWith('flap'));
    expect(late()).toHaveLength(1);
    expect(late(sms(flaps.from - minute, flapping))).toEqual([]);
    const over = sms(flaps.from - minute / 2, 'CRIT Outage at Depå 08: over, came and went.');
    expect(late(sms(flaps.from - minute, flapping), over)).toHaveLength(1);
  });

  test('a silence that is told later than six minutes after it counts', () => {
    const silence = outageOf('silence');
    const lateAfter = (minutes: number) =>
      judgeNight(script, livedOf([mail(silence.from + minutes * minute, '[CRITICAL] Outage at Depå 10')])).lateSilences
        .length;
    expect(lateAfter(12)).toBe(0);
    expect(lateAfter(14)).toBe(6);
  });

  test('the text messages of each phone', () => {
    const { sms: counts } = judgeNight(script, livedOf([1, 2, 3].map((count) => sms(during + count, opening.text))));
    expect(counts).toEqual({ operations: 3, acme: 0, borg: 0, duty: 0 });
  });
});

test('names are read in whole words, also where a sentence has several', () => {
  const { claims } = createReader(script).read(
    'sms',
    'CRIT Depå 05: 20 of 21 offline; Depå 06: 3. wp.night.test/alerts',
  );
  const counts = claims.flatMap((claim) =>
    claim.says === 'of' || claim.says === 'number' ? [`${claim.about?.name} ${claim.number}`] : [],
  );
  expect(counts).toEqual(['Depå 05 20', 'Depå 06 3']);
});

function camerasAt(place: string): string[] {
  return script.places.find(({ id }) => id === place)?.cameras ?? [];
}

function notLitAt(place: string, second: number): number {
  const isDark = (deviceId: string) => script.dark.get(deviceId)?.some(({ from, to }) => from <= second && second < to);
  return camerasAt(place).filter(isDark).length;
}

function litAt(place: string, second: number): number {
  return camerasAt(place).length - notLitAt(place, second);
}

function instant(second: number): string {
  return new Date(nightBegins + second * 1000).toISOString();
}

function nameOf(deviceId: string | undefined): string {
  return script.cameras.find((camera) => camera.deviceId === deviceId)?.name ?? '';
}
