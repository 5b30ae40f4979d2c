/** What each account may do at a broker. */
export type AccessList = {
  mayPublish(user: string, topic: string): boolean;
  mayHear(user: string, topic: string): boolean;
};

type Rule = { access: string; filter: string };

/** The device of the guardian in the list. Its rules apply to every guardian. */
const example = 'cam-1';

/**
 * Reads a Mosquitto access list as Mosquitto does: what no rule allows is denied, and `deny` takes precedence.
 * Mosquitto needs separate lines for each guardian; here the lines of the one guardian in the list apply to all.
 * @throws Error that shows a line that is not a rule
 */
export function readAccessList(text: string): AccessList {
  const patterns: Rule[] = [];
  const sections = new Map<string, Rule[]>();
  let section: Rule[] | null = null;
  for (const line of text.split('\n')) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, user, kind, access = '', filter = ''] =
      /^(?:user (\S+)|(topic|pattern) (read|write|deny) (\S+))$/.exec(line) ?? [];
    if (user !== undefined) {
      section = sections.get(user) ?? [];
      sections.set(user, section);
    } else if (kind === 'pattern' && access !== 'deny') patterns.push({ access, filter });
    else if (kind === 'topic' && section) section.push({ access, filter });
    else throw new Error(`This is not a rule of an access list: ${line}`);
  }
  const may = (user: string, access: string, topic: string): boolean => {
    // A name with a wildcard or a slash would reach topics of others.
    if (/[+#/]/.test(user)) return false;
    const own = sectionOf(sections, user);
    const all = [...own, ...patterns.map((rule) => ({ ...rule, filter: rule.filter.replaceAll('%u', user) }))];
    const fitting = all.filter(({ filter }) => fits(filter, topic));
    return fitting.some((rule) => rule.access === access) && fitting.every((rule) => rule.access !== 'deny');
  };
  return {
    mayPublish: (user, topic) => may(user, 'write', topic),
    mayHear: (user, topic) => may(user, 'read', topic),
  };
}

function sectionOf(sections: Map<string, Rule[]>, user: string): Rule[] {
  const guarded = /^guardian-(.+)$/.exec(user)?.[1];
  const section = sections.get(user);
  if (section || guarded === undefined) return section ?? [];
  const others = sections.get(`guardian-${example}`) ?? [];
  const named = (level: string) => (level === example ? guarded : level);
  return others.map((rule) => ({ ...rule, filter: rule.filter.split('/').map(named).join('/') }));
}

/** MQTT topic filters: `+` is one level, `#` all that follow. */
export function fits(filter: string, topic: string): boolean {
  const levels = topic.split('/');
  const wanted = filter.split('/');
  const isFitting = (level: string, index: number) =>
    level === '#' || (level === '+' && index < levels.length) || level === levels[index];
  return wanted.every(isFitting) && (wanted.at(-1) === '#' || wanted.length === levels.length);
}
