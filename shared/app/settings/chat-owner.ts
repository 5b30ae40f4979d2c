/** What the sealed address of a chat belongs to. */
export function chatOwner(team: string, chatId: string): string {
  return `teams/${team}/chats/${chatId}`;
}
