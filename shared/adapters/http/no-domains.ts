import domain from 'node:domain';

/**
 * Prevents the functions framework from creating a domain (`node:domain`) for each request. The first domain of a process enables async
 * hooks for every promise in it, which costs as much CPU as everything else that a function does. `docs/decisions/0014-no-domains.md` says
 * what this gives up.
 */
export function makeNoDomains(): void {
  Object.assign(domain, { create: () => ({ on: () => {}, run: (work: () => void) => work() }) });
}
