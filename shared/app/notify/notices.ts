import { retention } from '../../domain/limits.ts';
import { noticeLetter } from '../../domain/notify/messages.ts';
import { contactsOf } from '../../domain/notify/team.ts';
import { operationsTeam } from '../../domain/settings/settings.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Notice, Wake, World, Write } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { deliveryWrites } from './tell.ts';

/** A notice to the team `operations` as a write of the commit that causes it, and the wake that gets it told. */
export function noticeOf(
  notice: Pick<Notice, 'noticeId' | 'kind' | 'text'>,
  now: Instant,
): { write: Write; wake: Wake } {
  const { noticeId: id } = notice;
  const data: Notice = { ...notice, at: now, dueAt: now, expireAt: plus(now, retention.audit) };
  return {
    write: { kind: 'create', in: 'notices', id, data },
    wake: { in: 'notices', id, version: 1, dueAt: now },
  };
}

/** Tells `operations` on email and chat what has been noted, once. A text message is for alerts. */
export async function tellNotice(world: World, noticeId: string): Promise<void> {
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('notices', [noticeId]);
    const now = world.now();
    if (!stored?.data.dueAt || stored.data.dueAt > now) return { writes: [], wakes: [], answer: undefined };
    const { teams } = await loadConfiguration(world);
    const operations = teams.get(operationsTeam);
    const contacts = operations ? contactsOf(operations).filter(({ channel }) => channel !== 'sms') : [];
    const letter = noticeLetter(stored.data.text, world.consoleUrl);
    const event = { eventType: 'notice', eventId: noticeId, alertId: null, deviceId: null, groupId: null };
    const messages = contacts.map((contact) => deliveryWrites(contact, letter, event, now));
    const told: Write = {
      kind: 'replace',
      in: 'notices',
      id: noticeId,
      data: { ...stored.data, dueAt: null },
      revision: stored.revision,
    };
    return {
      writes: [told, ...messages.flatMap(({ writes }) => writes)],
      wakes: messages.flatMap(({ wakes }) => wakes),
      answer: undefined,
    };
  });
}
