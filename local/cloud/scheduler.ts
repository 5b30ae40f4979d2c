import type { IdentityTokens } from './identity-tokens.ts';

export type SchedulerConfig = { url: string; audience: string; email: string; everyMs: number };

const answerMs = 30_000;

/**
 * Cloud Scheduler for the local run: posts to one address at a fixed interval with the token of its account. The first call comes at once,
 * because nothing has been swept yet. A failed call is not repeated.
 */
export function startScheduler(
  { url, audience, email, everyMs }: SchedulerConfig,
  tokens: IdentityTokens,
  onProblem: (line: string) => void,
): { first: Promise<void>; stop(): void } {
  let wasFailing = false;
  const call = async () => {
    try {
      const headers = { Authorization: `Bearer ${await tokens(email, audience)}` };
      const { ok, status } = await fetch(url, { method: 'POST', headers, signal: AbortSignal.timeout(answerMs) });
      if (!ok && !wasFailing) onProblem(`the call of ${url} was answered ${status}.`);
      wasFailing = !ok;
    } catch (error) {
      if (!wasFailing) onProblem(`the call of ${url} failed: ${error instanceof Error ? error.message : error}`);
      wasFailing = true;
    }
  };
  const timer = setInterval(call, everyMs);
  return { first: call(), stop: () => clearInterval(timer) };
}
