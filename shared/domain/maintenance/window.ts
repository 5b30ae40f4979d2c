import type { Fault } from '../../errors.ts';
import type {
  MaintenanceScope,
  MaintenanceWindow,
  MaintenanceWindowInput,
  Recurrence,
} from '../../schema/maintenance/window.ts';
import type { AlertCode } from '../../schema/vocabulary.ts';
import { retention } from '../limits.ts';
import { localTimeAt, timeZoneFault } from '../settings/local-time.ts';
import { fitsCode, hasTags } from '../settings/rules.ts';
import { isInPeriod, minutesOf } from '../settings/schedules.ts';
import { earliest, type Instant, msBetween, plus, toInstant } from '../time.ts';

type Times = Pick<MaintenanceWindowInput, 'startsAt' | 'endsAt' | 'recurrence'>;

/** The end of the occurrence of a window that is active at `at`. Null: it is not active then. */
export function heldUntil({ startsAt, endsAt, recurrence }: Times, at: Instant, timeZone: string): Instant | null {
  if (recurrence) return occurrenceUntil(recurrence, at, timeZone);
  return startsAt !== undefined && endsAt !== undefined && startsAt <= at && at < endsAt ? endsAt : null;
}

function occurrenceUntil(recurrence: Recurrence, at: Instant, zoneOfSettings: string): Instant | null {
  const { weekdays, from, to, timeZone = zoneOfSettings, until } = recurrence;
  if (until !== undefined && until <= at) return null;
  const holdsAt = (instant: Instant) => isInPeriod({ days: weekdays, from, to }, localTimeAt(instant, timeZone));
  if (!holdsAt(at)) return null;
  const ahead = (minutesOf(to) - localTimeAt(at, timeZone).minuteOfDay + day) % day || day;
  return earliest([endNear(ahead, at, holdsAt), until]);
}

const minute = 60_000;
const day = 24 * 60;
/** Daylight saving moves a clock by one hour, in some places perhaps by two. */
const mostPutMinutes = 120;

/**
 * The first minute at which the window is not active, searched near its end on a day without a clock change. It is compared with local
 * time, so that a window ends at the right local time when daylight saving changes.
 */
function endNear(ahead: number, at: Instant, holdsAt: (instant: Instant) => boolean): Instant {
  const whole = plus(at, -(Date.parse(at) % minute));
  let minutes = Math.max(0, ahead - mostPutMinutes);
  while (minutes < ahead + mostPutMinutes && holdsAt(plus(whole, minutes * minute))) minutes += 1;
  return plus(whole, minutes * minute);
}

/** A window as it is stored. */
export type WindowRecord = Omit<MaintenanceWindow, 'state' | 'activeUntil'> & {
  /** When it ends for good: as planned, or earlier by a person. */
  lastsTo: Instant;
  /** When a person ended it. Null: nobody has. */
  endedAt: Instant | null;
  /** It has passed or was ended, so it is no longer part of the configuration. */
  isOver: boolean;
  /** When the silenced alerts must be evaluated again, because the window was changed or ended. Null: it never ends, or is over. */
  dueAt: Instant | null;
  expireAt: Instant;
  version: number;
};

/** The properties of an alert that a window matches. */
export type WindowSubject = {
  deviceId: string;
  groupId: string;
  site: string | null;
  parents: readonly { kind: string; id: string }[];
  tags: Readonly<Record<string, string>>;
  code: AlertCode;
};

/** A window is active for an alert, and until when. */
export type Hold = { windowId: string; name: string; until: Instant };

/** The window that silences an alert at an instant. Of several, the one that ends last. */
export function holdOf(
  windows: readonly WindowRecord[],
  subject: WindowSubject,
  at: Instant,
  timeZone: string,
): Hold | null {
  const holds = windows.flatMap((window): Hold[] => {
    const until = at < window.lastsTo && isAbout(window, subject) ? heldUntil(window, at, timeZone) : null;
    return until === null ? [] : [{ windowId: window.windowId, name: window.name, until }];
  });
  return holds.toSorted((a, b) => (a.until > b.until ? -1 : 1))[0] ?? null;
}

/** Whether a window matches an alert, active or not. A window silences security alerts only where it names them. */
export function isAbout(window: WindowRecord, subject: WindowSubject): boolean {
  const { codes } = window.scope;
  const isSecurity = subject.code.startsWith('SEC_');
  const fits = codes?.some((pattern) => fitsCode(pattern, subject.code) && (!isSecurity || pattern.startsWith('SEC')));
  return (fits ?? !isSecurity) && isAboutDevice(window, subject);
}

/** Whether a window matches a device. */
export function isAboutDevice(
  { scope, limitedTo }: Pick<WindowRecord, 'scope' | 'limitedTo'>,
  { deviceId, groupId, site, parents, tags }: Omit<WindowSubject, 'code'>,
): boolean {
  if (limitedTo !== null && !limitedTo.includes(groupId)) return false;
  const fits = (values: readonly string[] | undefined, value: string | null) =>
    values === undefined || (value !== null && values.includes(value));
  const hangsOn = (wanted: MaintenanceScope['parents']) =>
    wanted === undefined ||
    wanted.some(({ kind, id }) => parents.some((parent) => parent.kind === kind && parent.id === id));
  return (
    fits(scope.devices, deviceId) &&
    fits(scope.groups, groupId) &&
    fits(scope.sites, site) &&
    hangsOn(scope.parents) &&
    hasTags(scope.tags, tags)
  );
}

const longestMs = 30 * 24 * 60 * 60_000;

/**
 * Faults that the schema cannot express: a window must have exactly one of its two times, in order, not too long, in a time zone that
 * exists.
 */
export function faultsOfWindow({ startsAt, endsAt, recurrence }: MaintenanceWindowInput): Fault[] {
  if (recurrence !== undefined) {
    if (startsAt !== undefined || endsAt !== undefined) {
      return [{ pointer: '/recurrence', detail: 'replaces `startsAt` and `endsAt`' }];
    }
    const detail = recurrence.timeZone === undefined ? null : timeZoneFault(recurrence.timeZone);
    return detail === null ? [] : [{ pointer: '/recurrence/timeZone', detail }];
  }
  if (startsAt === undefined || endsAt === undefined) {
    const pointer = startsAt === undefined ? '/startsAt' : '/endsAt';
    return [{ pointer, detail: 'is missing: a window has `startsAt` and `endsAt`, or `recurrence`' }];
  }
  const lasts = msBetween(startsAt, endsAt);
  if (lasts <= 0) return [{ pointer: '/endsAt', detail: 'must be later than `startsAt`' }];
  return lasts > longestMs ? [{ pointer: '/endsAt', detail: 'must be at most 30 days after `startsAt`' }] : [];
}

/** A window as a person wrote it, with its instants in the stored form. */
function writtenWindow(input: MaintenanceWindowInput): MaintenanceWindowInput {
  const { startsAt, endsAt, recurrence } = input;
  return {
    ...input,
    ...(startsAt === undefined ? {} : { startsAt: toInstant(startsAt) }),
    ...(endsAt === undefined ? {} : { endsAt: toInstant(endsAt) }),
    ...(recurrence?.until === undefined ? {} : { recurrence: { ...recurrence, until: toInstant(recurrence.until) } }),
  };
}

/** The end of a recurring window without an end date. */
const forever: Instant = '9999-12-31T23:59:59.999Z';

/** The record to store after a person has written a window. */
export function windowRecord(
  input: MaintenanceWindowInput,
  kept: Pick<WindowRecord, 'windowId' | 'limitedTo' | 'createdBy' | 'createdAt' | 'changedAt' | 'version'>,
): WindowRecord {
  const written = writtenWindow(input);
  const last = lastsTo(written);
  return {
    ...written,
    ...kept,
    lastsTo: last,
    endedAt: null,
    isOver: false,
    dueAt: last === forever ? null : last,
    expireAt: last === forever ? forever : plus(last, retention.window),
  };
}

/** A window after a person ended it. The alerts that it silenced are evaluated again. */
export function endedWindow(window: WindowRecord, now: Instant): WindowRecord {
  const over = { lastsTo: now, endedAt: now, isOver: true, dueAt: now, expireAt: plus(now, retention.window) };
  return { ...window, ...over, changedAt: now, version: window.version + 1 };
}

/** A window after the alerts that it silences were evaluated. */
export function lookedAtWindow(window: WindowRecord, now: Instant): Partial<WindowRecord> {
  const isOver = window.lastsTo <= now;
  return { isOver, dueAt: isOver || window.lastsTo === forever ? null : window.lastsTo };
}

/** When a window ends for good, according to its definition. */
function lastsTo({ endsAt, recurrence }: MaintenanceWindowInput): Instant {
  return (recurrence ? recurrence.until : endsAt) ?? forever;
}

export function toWireWindow(window: WindowRecord, at: Instant, timeZone: string): MaintenanceWindow {
  const { lastsTo: last, endedAt: _ended, isOver: _over, dueAt: _due, ...more } = window;
  const { expireAt: _expire, version: _version, ...shown } = more;
  if (last <= at) return { ...shown, state: 'over', activeUntil: null };
  const activeUntil = heldUntil(window, at, timeZone);
  return { ...shown, state: activeUntil ? 'active' : 'planned', activeUntil };
}
