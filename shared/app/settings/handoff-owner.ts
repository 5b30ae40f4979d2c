/** The record and member to which the sealed credential of a hand-off belongs. */
export function handoffOwner(team: string, handoffId: string): string {
  return `teams/${team}/handoffs/${handoffId}/credential`;
}
