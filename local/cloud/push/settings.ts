/** How a subscription retries: maximum number of attempts (null: unlimited), and the first and longest delay. */
export type PushRetries = { maxAttempts: number | null; backoffMs: number; longestBackoffMs: number };

/** The same values as in Terraform. A test compares the two. */
export const pushRetries = {
  messages: { maxAttempts: 100, backoffMs: 2000, longestBackoffMs: 120_000 },
  deadLetters: { maxAttempts: null, backoffMs: 10_000, longestBackoffMs: 600_000 },
} as const satisfies Record<string, PushRetries>;
