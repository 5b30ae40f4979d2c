import { compare, type Difference } from './compare.ts';
import type { HealResult } from './decide.ts';
import { type Configuration, fieldNames } from './fields.ts';
import type { Failure, ManagementInterface } from './management-interface.ts';

export type HealParts = {
  camera: ManagementInterface;
  golden: Configuration;
  serial: string;
  /** Waits between two readings while the camera applies the written values and its client connects. */
  wait: (milliseconds: number) => Promise<void>;
  /** Between two readings, milliseconds. */
  pollMs: number;
};

/** With 1 s between readings this is long enough for a TLS connection of a small camera, and short enough to end before the next check. */
const maxReadings = 10;

/**
 * Writes the golden configuration, then reads it until the camera has it and its client is connected, at most ten
 * times.
 * @param differences found by the last check
 */
export async function heal(parts: HealParts, differences: readonly Difference[]): Promise<HealResult> {
  const writing = await writeWhatIsTaken(parts, differences);
  if (writing.status === 'failed') return { status: 'failed', reason: describe(writing), isGoldenReached: false };
  return verify(parts, writing.refused);
}

/**
 * If the firmware refuses one value, the others must still be written, for example to restore a hijacked broker host. The answer does not
 * say which value was refused, so each is omitted in turn, the least severe first.
 */
async function writeWhatIsTaken(
  { camera, golden }: HealParts,
  differences: readonly Difference[],
): Promise<{ status: 'written'; refused: string | null } | Failure> {
  const whole = await camera.write(golden);
  if (whole.status === 'written') return { status: 'written', refused: null };
  if (whole.reason !== 'refused') return whole;
  for (const name of fieldNames.toReversed()) {
    if (golden[name] === undefined) continue;
    const { [name]: _left, ...rest } = golden;
    if (!differences.some((difference) => difference.name !== name)) continue;
    const partial = await camera.write(rest);
    if (partial.status === 'written') return { status: 'written', refused: name };
    if (partial.reason !== 'refused') return partial;
  }
  return whole;
}

async function verify(
  { camera, golden, serial, wait, pollMs }: HealParts,
  refused: string | null,
): Promise<HealResult> {
  let isGoldenReached = false;
  let reason = 'The camera was not read again.';
  for (let reading = 0; reading < maxReadings; reading += 1) {
    if (reading > 0) await wait(pollMs);
    const seen = await camera.read(golden);
    if (seen.status === 'failed') return { status: 'failed', reason: describe(seen), isGoldenReached };
    const leftover = compare(golden, seen.configuration, serial);
    if (leftover.some(({ severity }) => severity !== 'LOW')) {
      if (isGoldenReached)
        return { status: 'failed', reason: 'The camera was changed again during the heal.', isGoldenReached };
      if (refused !== null)
        return { status: 'failed', reason: `The camera refuses the golden ${refused}.`, isGoldenReached };
      reason = 'The camera took the configuration and did not apply it.';
      continue;
    }
    isGoldenReached = true;
    if (isConnectedAsWanted(golden, seen.isConnected)) return { status: 'healed', leftover };
    reason = 'The camera is golden again, but its client does not connect.';
  }
  return { status: 'failed', reason, isGoldenReached };
}

function describe({ reason, detail }: Failure): string {
  return `${reason}: ${detail}`;
}

/** Whether the camera works as golden requires: connected, or intentionally inactive. */
export function isConnectedAsWanted(golden: Configuration, isConnected: boolean): boolean {
  return isConnected || golden['client.active'] === false;
}
