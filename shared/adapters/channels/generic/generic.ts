import { filledTemplate } from '../../../domain/delivery/handoff/template.ts';
import { type RequestOf, wordsOf } from '../handoff/request.ts';

/** Any receiver of JSON: the filled template, and the credential in a header. */
export const toGeneric: RequestOf = (parts) => {
  const { url, settings, credential } = parts;
  const headers = credential === null ? {} : { [settings.header ?? 'Authorization']: credential };
  return { url, headers, body: JSON.parse(filledTemplate(settings.template ?? '{}', wordsOf(parts))) };
};
