import type { Handoff, HandoffDraft, HandoffSettings } from '../../../../shared/schema/settings/handoff.ts';
import { type HandoffKind, handoffTable } from '../../../../shared/schema/settings/handoff-kinds.ts';
import { type Severity, timedSeverities } from '../../../../shared/schema/vocabulary.ts';

/** The form of a hand-off: each member as text or choice. */
export type Draft = {
  kind: HandoffKind;
  name: string;
  url: string;
  user: string;
  labels: string;
  header: string;
  template: string;
  credential: string;
  severities: Severity[];
  enabled: boolean;
};

export function draftOf(handoff: Handoff | null): Draft {
  const { url = '', user = '', labels = {}, header = '', template = '' } = handoff?.settings ?? {};
  return {
    kind: handoff?.kind ?? 'pagerduty',
    name: handoff?.name ?? '',
    ...{ url, user, header, template },
    labels: Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    credential: '',
    severities: handoff?.severities ?? [...timedSeverities],
    enabled: handoff?.enabled ?? true,
  };
}

/** The part of a draft that is stored during typing: all except the credential. */
export function keepable({ credential: _, ...rest }: Draft): Partial<Draft> {
  return rest;
}

/** The request body, with only the settings that the kind uses. */
export function bodyOf(draft: Draft, handoff: Handoff | null): HandoffDraft {
  const { kind, name, credential, severities, enabled } = draft;
  const takes: readonly string[] = ['url', ...handoffTable[kind].takes];
  const given: HandoffSettings = {
    url: draft.url.trim(),
    user: draft.user.trim(),
    labels: labelsOf(draft.labels),
    header: draft.header.trim(),
    template: draft.template.trim(),
  };
  const isGiven = ([member, value]: [string, unknown]) =>
    takes.includes(member) && (typeof value === 'string' ? value !== '' : Object.keys(value ?? {}).length > 0);
  return {
    ...(handoff ? { handoffId: handoff.handoffId } : {}),
    ...{ kind, name: name.trim(), severities, enabled },
    settings: Object.fromEntries(Object.entries(given).filter(isGiven)),
    ...(credential ? { credential } : {}),
  };
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, value = ''] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      return name ? [[name, value]] : [];
    }),
  );
}
