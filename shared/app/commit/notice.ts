import { retention } from '../../domain/limits.ts';
import type { Notice } from '../../domain/notify/notice.ts';
import { type Instant, plus } from '../../domain/time.ts';
import type { Wake, Write } from '../ports.ts';

/** A notice to the team `operations` as a write of the commit that causes it, with the wake that sends it. */
export function noticeOf(
  notice: Pick<Notice, 'noticeId' | 'kind' | 'text' | 'without'>,
  now: Instant,
): { write: Write; wake: Wake } {
  const { noticeId: id } = notice;
  const data: Notice = { ...notice, at: now, dueAt: now, expireAt: plus(now, retention.audit) };
  return {
    write: { kind: 'create', in: 'notices', id, data },
    wake: { in: 'notices', id, version: 1, dueAt: now },
  };
}
