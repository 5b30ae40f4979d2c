import type { peopleChannels } from '../../../../shared/schema/channels.ts';
import type { AlertRule, Rule } from '../../../../shared/schema/settings/rule.ts';
import type { Channel, Severity } from '../../../../shared/schema/vocabulary.ts';
import { words } from '../../components/form.tsx';

type PeopleChannel = (typeof peopleChannels)[number];

/** A rule as its form shows it. */
export type RuleDraft = {
  name: string;
  code: string;
  group: string;
  site: string;
  device: string;
  tags: string;
  severity: Severity[];
  schedule: string;
  team: string;
  mute: PeopleChannel[];
  suppress: boolean;
  notify: Channel[];
  escalateTo: string;
  priority: string;
  enabled: boolean;
};

export function draftOf(rule: Rule | null): RuleDraft {
  return {
    name: rule?.name ?? '',
    code: rule?.condition.code ?? 'CONN_001',
    group: rule?.condition.group?.join(', ') ?? '',
    site: rule?.condition.site?.join(', ') ?? '',
    device: rule?.condition.device?.join(', ') ?? '',
    tags: tagsInWords(rule?.condition.tags),
    severity: rule?.condition.severity ?? [],
    schedule: rule?.condition.schedule ?? '',
    team: rule?.action.team ?? '',
    mute: rule?.action.mute ?? [],
    suppress: rule?.action.suppress ?? false,
    notify: rule?.action.notify ?? [],
    escalateTo: rule?.action.escalate_to ?? '',
    priority: rule?.action.priority ?? '',
    enabled: rule?.enabled ?? true,
  };
}

/** The rule that a form describes. */
export function ruleOf(draft: RuleDraft): AlertRule {
  const some = <T>(name: string, values: T[]) => (values.length > 0 ? { [name]: values } : {});
  const tags = tagsOf(draft.tags);
  return {
    name: draft.name.trim(),
    condition: {
      code: draft.code,
      group: words(draft.group),
      ...some('site', words(draft.site)),
      ...some('device', words(draft.device)),
      ...some('severity', draft.severity),
      ...(Object.keys(tags).length > 0 ? { tags } : {}),
      ...(draft.schedule ? { schedule: draft.schedule } : {}),
    },
    action: {
      ...(draft.suppress ? { suppress: true } : {}),
      ...some('notify', draft.notify),
      ...some('mute', draft.mute),
      ...(draft.team ? { team: draft.team } : {}),
      ...(draft.escalateTo ? { escalate_to: draft.escalateTo } : {}),
      ...(draft.priority.trim() ? { priority: draft.priority.trim() } : {}),
    },
    enabled: draft.enabled,
  };
}

/** `floor=1|2, wing=west` */
function tagsOf(text: string): Record<string, string[]> {
  const pairs = words(text).map((each) => {
    const [key = '', values = ''] = each.split('=', 2);
    return [key.trim(), values.split('|').map((value) => value.trim())] as const;
  });
  return Object.fromEntries(pairs);
}

function tagsInWords(tags: Record<string, string[]> = {}): string {
  return Object.entries(tags)
    .map(([key, values]) => `${key}=${values.join('|')}`)
    .join(', ');
}
