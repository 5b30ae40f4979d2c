/** Whether a text of a request can be the id of a record: anything else names none, and some texts no store takes for a name. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
