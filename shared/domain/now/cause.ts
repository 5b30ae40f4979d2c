import type { AlertCode, Severity } from '../../schema/vocabulary.ts';
import type { Life } from '../alert/alert.ts';
import type { Instant } from '../time.ts';

export type NowPlace = { kind: string; id: string; groupId: string | null; name: string | null };

/** A place of a cause that is at several, and how many of its cameras are concerned. */
export type Share = { place: NowPlace; cameras: number };

/** The alert or incident of a cause that needs somebody most: its clock is the clock of the cause, and it is what a person takes. */
export type Worst = Pick<
  Life,
  'status' | 'timestamp' | 'respondBy' | 'escalatedAt' | 'acknowledgedBy' | 'team' | 'priority' | 'version'
> & { about: 'alert' | 'incident'; id: string; deviceId: string | null; deviceName: string | null };

/** The messages that the trail of a record names. `hasDigest`: some were left to a digest, which says nothing of who got it. */
export type Messages = { deliveryIds: string[]; hasDigest: boolean };

/** One thing that is wrong: an incident, or the same code at one place or at many. */
export type Cause = {
  key: string;
  severity: Severity;
  /** Null for an incident. */
  code: AlertCode | null;
  incident: { kind: string; title: string } | null;
  worst: Worst;
  /** Null: it is at several places, the most affected of which are `among`. */
  place: NowPlace | null;
  among: Share[];
  places: number;
  /** Cameras that are concerned, and all of the place or, at several places, of their groups. Null: not known, or not for this viewer. */
  cameras: number | null;
  of: number | null;
  /** It concerns the whole fleet. */
  isEverywhere: boolean;
  since: Instant;
  /** The one group that it concerns, and the cameras of its groups. Null: several. */
  groupId: string | null;
  groupTotal: number;
  /** Null: not looked up. */
  messages: Messages | null;
};
