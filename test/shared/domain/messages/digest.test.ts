import { describe, expect, test } from 'vitest';
import {
  type DigestFacts,
  digestContent,
  heldContent,
  incidentInDigest,
  type Section,
} from '../../../../shared/domain/messages/digest.ts';

const consoleUrl = 'https://console.example.com';
const none: DigestFacts = { sections: [], went: 0, over: 0, late: 0, gravest: [], incidents: [], guardian: [] };
const section = (given: Partial<Section> = {}): Section => ({
  occasion: 'opened',
  count: 2,
  codes: [{ code: 'CONN_001', count: 2 }],
  groups: [{ groupId: 'gbg', count: 2 }],
  others: false,
  gone: null,
  ...given,
});
const content = (given: Partial<DigestFacts>) => digestContent({ ...none, ...given }, consoleUrl);
const incident = (title: string) => ({ severity: 'CRITICAL' as const, title });

describe('a digest', () => {
  test('without content is not sent, also where alerts only came and went', () => {
    expect(content({})).toBeNull();
    expect(content({ went: 3, over: 1 })).toBeNull();
  });

  test('counts alerts by what happened to them, their problem and their group', () => {
    const codes = [
      { code: 'CONN_001' as const, count: 37 },
      { code: 'RES_002' as const, count: 2 },
    ];
    const groups = [
      { groupId: 'gbg', count: 20 },
      { groupId: 'sthlm', count: 18 },
    ];
    const sections = [section({ count: 39, codes, groups, others: true }), section({ occasion: 'resolved', count: 1 })];
    expect(content({ sections })).toEqual({
      severity: null,
      priority: null,
      title: 'Digest: 39 alerts opened; 1 alert over',
      lines: ['39 opened: offline 37, memory high 2; gbg 20, sthlm 18 and other groups', '1 over: offline 2; gbg 2'],
      links: [{ text: 'Open all of them', url: `${consoleUrl}/alerts` }],
      short: [
        '39 alerts opened; 1 alert over',
        '39 opened: offline 37, memory high 2; gbg 20, sthlm 18 and other groups',
      ],
    });
  });

  test('does not call over what was moved or deleted', () => {
    const sections = [
      section({ occasion: 'resolved', count: 2, gone: 'moved' }),
      section({ occasion: 'resolved', gone: 'deleted' }),
    ];
    expect(content({ sections })).toMatchObject({
      title: expect.stringMatching(/^Digest: 2 alerts of moved cameras; \d+ alerts? of deleted cameras$/),
      lines: ['2 of moved cameras: offline 2; gbg 2', expect.stringMatching(/^\d+ of deleted cameras: /)],
    });
  });

  test('names the most severe alerts, and has their severity', () => {
    const gravest = [
      { severity: 'ERROR' as const, what: 'gbg / Door memory critical' },
      { severity: 'WARNING' as const, what: 'gbg / Gate memory high' },
    ];
    const sent = content({ sections: [section()], gravest });
    expect(sent?.severity).toBe('ERROR');
    expect(sent?.lines.slice(-3)).toEqual([
      'The gravest:',
      'ERROR gbg / Door memory critical',
      'WARNING gbg / Gate memory high',
    ]);
  });

  test.each([
    [1, 0, '1 more came and went.'],
    [2, 3, '5 more came and went.'],
  ])('says that %d ended before anybody heard of them, and %d since', (went, over, said) => {
    const sent = content({ sections: [section()], went, over });
    expect(sent?.lines.at(-1)).toBe(said);
    expect(sent?.short.at(-1)).toBe(said);
  });

  test('adds what an earlier digest missed', () => {
    expect(content({ late: 1 })?.title).toBe('Digest: 1 more from the minute before');
    expect(content({ sections: [section()], late: 2 })?.title).toBe(
      'Digest: 2 alerts opened; 2 more from the minute before',
    );
  });

  test('names three incidents in its title, and all of them in its text', () => {
    const incidents = ['A', 'B', 'C', 'D', 'E'].map(incident);
    const sent = content({ incidents });
    expect(sent?.title).toBe('Digest: A; B; C; 2 more incidents');
    expect(sent?.lines).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(sent?.severity).toBe('CRITICAL');
    expect(content({ incidents: incidents.slice(0, 3) })?.title).toBe('Digest: A; B; C');
  });

  test('counts alerts of guardians, with the severity of the contract', () => {
    const sent = content({
      guardian: [
        { alertCode: 'CONFIG_DRIFT', count: 1 },
        { alertCode: 'CONFIG_HEALED', count: 4 },
      ],
    });
    expect(sent?.title).toBe('Digest: Configuration drift 1 time; Configuration healed 4 times');
    expect(sent?.severity).toBe('WARNING');
  });

  test.each<[string, Partial<DigestFacts>, string]>([
    ['incidents', { incidents: [incident('A')], sections: [section()] }, '/incidents'],
    ['guardians only', { guardian: [{ alertCode: 'CONFIG_DRIFT', count: 1 }] }, '/guardian'],
    [
      'guardians and alerts',
      { guardian: [{ alertCode: 'CONFIG_DRIFT', count: 1 }], sections: [section()] },
      '/alerts?code=CONN_001',
    ],
    ['one problem', { sections: [section()] }, '/alerts?code=CONN_001'],
    ['one problem in two ways', { sections: [section(), section({ occasion: 'resolved' })] }, '/alerts'],
    [
      'two problems',
      {
        sections: [
          section({
            codes: [
              { code: 'CONN_001', count: 1 },
              { code: 'RES_001', count: 1 },
            ],
          }),
        ],
      },
      '/alerts',
    ],
    ['late ones only', { late: 1 }, '/alerts'],
  ])('about %s leads to them', (_about, facts, path) => {
    expect(content(facts)?.links).toEqual([{ text: 'Open all of them', url: `${consoleUrl}${path}` }]);
  });
});

test('an incident in a digest is named by its title, and otherwise by what is new about it', () => {
  const outage = { title: 'Outage at a', resolution: null, flapping: false };
  expect(incidentInDigest(outage, 'opened')).toBe('Outage at a');
  expect(incidentInDigest(outage, 'resolved')).toBe('Over: Outage at a');
  expect(incidentInDigest({ ...outage, resolution: 'manual' }, 'resolved')).toBe('Closed: Outage at a');
  expect(incidentInDigest({ ...outage, resolution: 'moved' }, 'resolved')).toBe('Outage at a: moved, still dark');
  const series = { ...outage, flapping: true };
  expect(incidentInDigest(series, 'flapping')).toBe('Outage at a comes and goes');
  expect(incidentInDigest(series, 'reminded')).toBe('Outage at a comes and goes, still without an answer');
  expect(incidentInDigest(series, 'resolved')).toBe('Over: Outage at a');
  expect(incidentInDigest(outage, 'updated')).toBe('Outage at a, wider than reported before');
  expect(incidentInDigest(outage, 'reminded')).toBe('Outage at a, still without an answer');
});

test('the notice of a used-up hour says how many were sent, when more may come, and the gravest that is held', () => {
  const clock = (at: string) => at.slice(11, 16);
  const sent = ['2026-11-20T10:16:00.000Z', '2026-11-20T10:20:00.000Z'];
  const nextAt = '2026-11-20T11:16:00.000Z';
  const held = (count: number, facts: Parameters<typeof heldContent>[1]) =>
    heldContent({ count, sent, nextAt }, facts, { clock, consoleUrl }).short;
  const gravest = [{ severity: 'CRITICAL' as const, what: 'a / Door 1 offline' }];
  const incidents = [{ severity: 'CRITICAL' as const, title: 'Outage at a' }];
  const title = 'SMS LIMIT: 2 sent since 10:16, next at 11:16';
  expect(held(7, { gravest, incidents: [] })).toEqual([title, 'Held: a / Door 1 offline and 6 more']);
  expect(held(7, { gravest, incidents })).toEqual([title, 'Held: Outage at a and 6 more']);
  expect(held(1, { gravest, incidents: [] })).toEqual([title, 'Held: a / Door 1 offline']);
  expect(held(1, { gravest: [], incidents: [] })).toEqual([title, 'Held: 1 message']);
});
