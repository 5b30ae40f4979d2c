import { createHash } from 'node:crypto';
import { v5 as uuidv5 } from 'uuid';
import { faultOfTemplate } from '../../domain/delivery/handoff/template.ts';
import type { HandoffRecord } from '../../domain/delivery/handoff.ts';
import { faultsOfHeaders } from '../../domain/delivery/webhook-headers.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import type { TeamRecord } from '../../domain/notify/team.ts';
import { faultsOfSchedule } from '../../domain/settings/schedules.ts';
import type { Instant } from '../../domain/time.ts';
import { AppError, type Fault } from '../../errors.ts';
import type { Handoff, HandoffDraft } from '../../schema/settings/handoff.ts';
import { type HandoffKind, type HandoffSetting, handoffTable } from '../../schema/settings/handoff-kinds.ts';
import { timedSeverities } from '../../schema/vocabulary.ts';
import type { SecretBox } from '../ports.ts';
import { handoffOwner } from './handoff-owner.ts';

type HandoffSettingParts = { box: SecretBox; judgeUrl(url: string): string | null };

const namespace = '1d6a2f5b-93c8-5a1c-8f7d-2b9f3f2f4c6e';

/** A hand-off as the API shows it: whether it has a credential, but nothing of its content. */
export function shownHandoff({ sealedCredential, paceId: _, isPaused = false, ...handoff }: HandoffRecord): Handoff {
  return { ...handoff, hasCredential: sealedCredential !== null, enabled: !isPaused };
}

/** Schedules in the filters of hand-offs must exist. */
export function faultsOfHandoffFilters(
  { handoffs }: Pick<TeamRecord, 'handoffs'>,
  { settings }: Pick<Configuration, 'settings'>,
  now: Instant,
): Fault[] {
  return handoffs.flatMap(({ filter }, index) =>
    faultsOfSchedule(filter?.schedule, settings, now, `/handoffs/${index}/filter/schedule`),
  );
}

/** The address of its receiver. */
export function urlOf({ kind, settings }: Pick<HandoffRecord, 'kind' | 'settings'>): string {
  return settings.url ?? handoffTable[kind].url ?? '';
}

/**
 * The hand-offs of a team after a person has written them. Absent: they stay.
 * @throws AppError `invalid-request` that names each member at fault
 */
export function handoffsOf(
  { name: team, handoffs: before = [] }: TeamRecord,
  drafts: readonly HandoffDraft[] | undefined,
  parts: HandoffSettingParts,
): HandoffRecord[] {
  if (!drafts) return before;
  const faults: Fault[] = [];
  const after = drafts.map((draft, index) => {
    const known = before.find(({ handoffId, kind, name }) =>
      draft.handoffId === undefined ? kind === draft.kind && name === draft.name : handoffId === draft.handoffId,
    );
    const found = [...faultsOfSettings(draft, parts), ...faultsOfCredential(draft, known ?? null)];
    faults.push(...found.map(({ pointer, detail }) => ({ pointer: `/handoffs/${index}${pointer}`, detail })));
    return recordOf(team, draft, known ?? null, parts);
  });
  if (new Set(after.map(({ handoffId }) => handoffId)).size < after.length) {
    faults.push({ pointer: '/handoffs', detail: 'names a hand-off twice' });
  }
  const [first] = faults;
  if (first) throw new AppError('invalid-request', `${first.pointer} ${first.detail}.`, { errors: faults });
  return after;
}

function recordOf(
  team: string,
  draft: HandoffDraft,
  known: HandoffRecord | null,
  { box }: HandoffSettingParts,
): HandoffRecord {
  const { kind, name, settings = {}, credential, severities = [...timedSeverities], filter, enabled = true } = draft;
  const handoffId = draft.handoffId ?? known?.handoffId ?? uuidv5(JSON.stringify([team, kind, name]), namespace);
  const sealed = credential === undefined ? null : box.seal(credential, handoffOwner(team, handoffId));
  const kept = known && isSameReceiver({ kind, settings }, known) ? known : null;
  const paceId = credential === undefined ? kept?.paceId : paceIdOf(kind, credential);
  const sealedCredential = sealed ?? kept?.sealedCredential ?? null;
  const version = credential === undefined ? kept?.credentialVersion : draft.credentialVersion;
  const more = {
    ...(paceId ? { paceId } : {}),
    ...(version === undefined ? {} : { credentialVersion: version }),
    ...(filter === undefined ? {} : { filter }),
    ...(enabled ? {} : { isPaused: true }),
  };
  return { handoffId, kind, name, settings, sealedCredential, severities, ...more };
}

/** Only for kinds with random keys: their hash reveals nothing. */
function paceIdOf(kind: HandoffKind, credential: string): string | null {
  if (handoffTable[kind].perMinute === null) return null;
  return createHash('sha256').update(`${kind} ${credential}`).digest('base64url').slice(0, 22);
}

type HandoffAddress = Pick<HandoffRecord, 'kind' | 'settings'>;

/** A credential belongs to a kind and an origin. If either changes, the request must contain the credential. */
function isSameReceiver(a: HandoffAddress, b: HandoffAddress): boolean {
  const originOf = (reached: HandoffAddress) => (URL.canParse(urlOf(reached)) ? new URL(urlOf(reached)).origin : '');
  return a.kind === b.kind && originOf(a) === originOf(b);
}

function faultsOfSettings({ kind, settings = {} }: HandoffDraft, { judgeUrl }: HandoffSettingParts): Fault[] {
  const row = handoffTable[kind];
  const url = urlOf({ kind, settings });
  const urlFault = url === '' ? `is needed for ${row.title}` : judgeUrl(url);
  const faults: Fault[] = urlFault === null ? [] : [{ pointer: '/settings/url', detail: urlFault }];
  const needed: readonly HandoffSetting[] = row.needs;
  const taken: readonly string[] = ['url', ...row.takes];
  for (const member of needed) {
    if (settings[member] === undefined) {
      faults.push({ pointer: `/settings/${member}`, detail: `is needed for ${row.title}` });
    }
  }
  for (const member of Object.keys(settings)) {
    if (!taken.includes(member)) {
      faults.push({ pointer: `/settings/${member}`, detail: `is not a setting of ${row.title}` });
    }
  }
  if (settings.header !== undefined) {
    const refused = faultsOfHeaders({ [settings.header]: '' }).map(({ detail }) => detail);
    faults.push(...refused.map((detail) => ({ pointer: '/settings/header', detail })));
  }
  const templateFault = settings.template === undefined ? null : faultOfTemplate(settings.template);
  if (templateFault !== null) faults.push({ pointer: '/settings/template', detail: templateFault });
  return faults;
}

function faultsOfCredential(
  { kind, credential, credentialVersion, settings = {} }: HandoffDraft,
  known: HandoffRecord | null,
): Fault[] {
  const pointer = '/credential';
  if (credential === undefined && credentialVersion !== undefined) {
    return [{ pointer: '/credentialVersion', detail: 'is given only together with its credential' }];
  }
  const { title, isNeeded, pattern } = handoffTable[kind].credential;
  if (credential === undefined) {
    if (known?.sealedCredential && !isSameReceiver({ kind, settings }, known)) {
      return [{ pointer, detail: 'is required, because the kind or the address has changed' }];
    }
    return isNeeded && !known?.sealedCredential ? [{ pointer, detail: `is required: the ${title.toLowerCase()}` }] : [];
  }
  if (pattern !== null && !new RegExp(pattern).test(credential)) {
    return [{ pointer, detail: `is not a valid ${title.toLowerCase()}: 32 letters and digits` }];
  }
  return [];
}
