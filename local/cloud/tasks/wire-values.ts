/** A protobuf Timestamp or Duration as the gRPC library hands it over: 64-bit numbers are text. */
export type WireTimestamp = { seconds: string; nanos: number };

/** Milliseconds (since the epoch, or of a duration), or null where the message is absent. */
export function readTimestamp(value: WireTimestamp | null): number | null {
  return value && Number(value.seconds) * 1000 + value.nanos / 1e6;
}

/** Converts milliseconds (since the epoch, or a duration) to the message. */
export function writeTimestamp(ms: number): WireTimestamp {
  const seconds = Math.floor(ms / 1000);
  return { seconds: String(seconds), nanos: Math.round((ms - seconds * 1000) * 1e6) };
}
