import { stringify } from 'yaml';
import type { Client } from '../../../sdk/typescript/src/index.ts';
import type { Existing, Kind, Shown } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';
import { formatVersion } from './wishes.ts';

/** The configuration of the service as a file. Applying it changes nothing. */
export async function exported(client: Client): Promise<string> {
  const sections: Shown = { version: formatVersion };
  for (const kind of kinds) {
    const all = await kind.list(client);
    const shown = all.filter((each) => !kind.isForeign?.(each));
    sections[kind.section] =
      kind.isSingle && shown[0] ? kind.exported(shown[0]) : shown.map((each) => itemOf(kind, each, all));
  }
  return stringify(sections, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The id is included only if the name is not unique. */
function itemOf(kind: Kind, existing: Existing, all: readonly Existing[]): Shown {
  const isAlone = all.filter((other) => other.key === existing.key && !kind.isOver?.(other)).length === 1;
  return { ...(kind.id && !isAlone ? { [kind.id]: existing.id } : {}), ...kind.exported(existing) };
}
