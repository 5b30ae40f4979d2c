/** Whether a text from a request can be the id of a record. Some other texts are not even allowed as names in the store. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
