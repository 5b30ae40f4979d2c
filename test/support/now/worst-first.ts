/**
 * What a person who knows the whole fleet would put first. Written from the words of the rule alone, about cameras and what is wrong with them, by
 * comparing any two troubles; it shares nothing with the code that ranks.
 *
 * "Severity; within it causes by cameras affected times the share of the place; escalated and unanswered before answered; then age. One cause is one
 * row: an outage, a blindness, and the same code at many places."
 */
type Severity = 'CRITICAL' | 'ERROR' | 'WARNING';
type Answer = 'nobody, and its time is over' | 'nobody yet' | 'somebody';

/** One camera with one fault. */
export type Fault = {
  id: string;
  camera: string;
  group: string;
  site: string | null;
  code: string;
  severity: Severity;
  answer: Answer;
  beganAt: number;
  /** An outage speaks for it, or people asked for quiet. */
  isQuiet: boolean;
};
export type Outage = {
  id: string;
  dark: number;
  of: number;
  severity: Severity;
  answer: Answer;
  beganAt: number;
  isForAll: boolean;
};
/** How many cameras hang at each site (`group/site`) and belong to each group. */
export type Fleet = { faults: Fault[]; outages: Outage[]; atSite: Map<string, number>; inGroup: Map<string, number> };

/** A trouble as a person sees it: what it is called, how grave, how much of its place, and how long nobody has answered. */
export type Trouble = { name: string; members: Set<string>; grave: number; mass: number; urgent: number; age: number };

const grave = (severity: Severity) => ({ CRITICAL: 3, ERROR: 2, WARNING: 1 })[severity];
const urgent = (answer: Answer) => ({ 'nobody, and its time is over': 2, 'nobody yet': 1, somebody: 0 })[answer];

/** Every trouble of the groups that somebody sees, in no order. */
export function troublesOf(fleet: Fleet, groups: ReadonlySet<string>): Trouble[] {
  const troubles: Trouble[] = [];
  for (const outage of fleet.outages) {
    const mass = outage.isForAll ? Infinity : (outage.dark * outage.dark) / outage.of;
    const members = new Set([outage.id]);
    const { id: name, beganAt: age } = outage;
    troubles.push({ name, members, grave: grave(outage.severity), mass, urgent: urgent(outage.answer), age });
  }
  const loud = fleet.faults.filter((fault) => !fault.isQuiet && groups.has(fault.group));
  for (const code of new Set(loud.map((fault) => fault.code))) {
    const all = loud.filter((fault) => fault.code === code);
    const spots = [...new Set(all.map((fault) => `${fault.group}/${fault.site}`))];
    const isOneCause = spots.length >= 5;
    const parts = isOneCause ? [all] : spots.map((spot) => all.filter((one) => `${one.group}/${one.site}` === spot));
    for (const part of parts) {
      const [first] = part as [Fault];
      const homes = [...new Set(part.map((fault) => fault.group))];
      const wholeGroups = homes.reduce((sum, group) => sum + (fleet.inGroup.get(group) ?? 0), 0);
      const place =
        isOneCause || first.site === null ? wholeGroups : (fleet.atSite.get(`${first.group}/${first.site}`) ?? 0);
      const cameras = new Set(part.map((fault) => fault.camera)).size;
      troubles.push({
        name: code,
        members: new Set(part.map((fault) => fault.id)),
        grave: grave(first.severity),
        mass: (cameras * cameras) / place,
        urgent: Math.max(...part.map((fault) => urgent(fault.answer))),
        age: Math.min(...part.map((fault) => fault.beganAt)),
      });
    }
  }
  return troubles;
}

/** Whether the first must not stand below the second. Equal troubles may stand either way. */
export function isAtLeastAsBad(one: Trouble, other: Trouble): boolean {
  if (one.grave !== other.grave) return one.grave > other.grave;
  if (Math.abs(one.mass - other.mass) > 1e-9) return one.mass > other.mass;
  if (one.urgent !== other.urgent) return one.urgent > other.urgent;
  return one.age <= other.age;
}
