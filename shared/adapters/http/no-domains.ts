import domain from 'node:domain';

/**
 * Keeps the functions framework from making a domain (`node:domain`) for each request. The first domain of a process turns on async hooks for
 * every promise in it, and that takes as much CPU as all that a function does. `docs/decisions/0014-no-domains.md` says what is given up.
 */
export function makeNoDomains(): void {
  Object.assign(domain, { create: () => ({ on: () => {}, run: (work: () => void) => work() }) });
}
