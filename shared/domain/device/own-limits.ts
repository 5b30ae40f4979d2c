import type { DeviceLimits } from '../../schema/settings/limits.ts';
import { type MeasureName, measureNames } from '../../schema/vocabulary.ts';
import { type LevelLimits, measureLimits, thresholds } from '../limits.ts';

/** A level of a measure that an alert code stands for. */
export type AlertLevel = 'high' | 'critical';

/** The limits that the settings give a device in place of those of the alert catalogue. */
export type OwnLimits = Partial<Record<MeasureName, Partial<Record<AlertLevel, number>>>> & {
  certificateDays?: number;
};

/** The limits of a device by the settings: each from the first entry that is about the device and has it. Undefined: it has none of its own. */
export function ownLimitsOf(
  { groupId, model }: { groupId: string; model: string | null },
  limits: readonly DeviceLimits[] = [],
): OwnLimits | undefined {
  const isAmong = (names: readonly string[] | undefined, name: string | null) =>
    names === undefined || names.length === 0 || (name !== null && names.includes(name));
  const own = limits.filter(({ groups, models }) => isAmong(groups, groupId) && isAmong(models, model));
  // Earlier entries win.
  const given = own.toReversed().reduce<OwnLimits>((sum, entry) => {
    const levels = measureNames.map((name) => [name, { ...sum[name], ...entry[name] }] as const);
    const { certificateDays = sum.certificateDays } = entry;
    return {
      ...Object.fromEntries(levels.filter(([, level]) => Object.keys(level).length > 0)),
      ...(certificateDays === undefined ? {} : { certificateDays }),
    };
  }, {});
  return Object.keys(given).length > 0 ? given : undefined;
}

/** Where a level begins and ends for a device. The distance between the two is the same share as in the catalogue. Null: there is no such level. */
export function levelLimits(name: MeasureName, level: AlertLevel, own: OwnLimits | undefined): LevelLimits | null {
  const usual = (measureLimits[name] as Partial<Record<AlertLevel, LevelLimits>>)[level];
  const begin = own?.[name]?.[level];
  if (!usual || begin === undefined) return usual ?? null;
  if ('under' in usual) return { under: begin, endsAt: (begin * usual.endsAt) / usual.under };
  if ('endsAt' in usual) return { above: begin, endsAt: (begin * usual.endsAt) / usual.above };
  return { above: begin, endsUnder: (begin * usual.endsUnder) / usual.above };
}

/** The steps beyond a limit at which an open alert counts as worse. */
export function worseSteps(name: MeasureName, limits: LevelLimits): readonly number[] {
  const steps: readonly number[] = measureLimits[name].worse;
  return 'under' in limits ? steps.filter((step) => step < limits.under) : steps.filter((step) => step > limits.above);
}

/** SEC_003 begins this many days before a certificate ends. */
export function certificateDaysOf(own: OwnLimits | undefined): number {
  return own?.certificateDays ?? thresholds.certificateExpiringDays;
}
