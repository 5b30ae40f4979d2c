/** The record to which the sealed address of a chat belongs. */
export function chatOwner(team: string, chatId: string): string {
  return `teams/${team}/chats/${chatId}`;
}
