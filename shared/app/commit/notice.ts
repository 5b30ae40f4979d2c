import { retention } from '../../domain/limits.ts';
import type { Notice } from '../../domain/notify/notice.ts';
import { operationsTeam } from '../../domain/settings/settings.ts';
import { type Instant, plus } from '../../domain/time.ts';
import type { Wake, Write } from '../ports.ts';

/** A notice as a write of the commit that causes it, with the wake that sends it. */
export function noticeOf(
  {
    team = operationsTeam,
    ...notice
  }: Pick<Notice, 'noticeId' | 'kind' | 'text' | 'without' | 'webhookId'> & { team?: Notice['team'] },
  now: Instant,
): { write: Write; wake: Wake } {
  const { noticeId: id } = notice;
  const data: Notice = { ...notice, team, at: now, dueAt: now, expireAt: plus(now, retention.audit) };
  return {
    write: { kind: 'create', in: 'notices', id, data },
    wake: { in: 'notices', id, version: 1, dueAt: now },
  };
}
