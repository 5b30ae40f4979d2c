const mail = /(?<![^\s<>@"'(),;:])[^\s<>@"'(),;:]{1,320}@[^\s<>@"'(),;:]{1,320}/g;
const phone = /\+\d{6,15}/g;

/** Masks the contacts in a text: of each, only enough to distinguish it from the others of a team. */
export function withoutContacts(text: string): string {
  return text
    .replaceAll(mail, (address) => `${[...address][0]}…@${address.slice(address.indexOf('@') + 1)}`)
    .replaceAll(phone, (number) => `${number.slice(0, 3)}…${number.slice(-2)}`);
}
