import { type FieldName, fieldNames, fieldOf } from '../../device/guardian/decide/fields.ts';
import { faultOfValue } from '../../device/guardian/golden/golden.ts';
import { placedFields } from './device/mqtt-settings.ts';

/** One protected field of a camera, and what somebody sets it to. */
export type Tampering = { field: FieldName; value: string | number | boolean };

/** The protected fields that a simulated camera has, most severe first. */
export const tamperFields = fieldNames.filter((name) => name === 'client.active' || placedFields.includes(name));

/** @throws Error that says what is wrong with the field or the value */
export function readTampering(field: string | undefined, text: string | undefined): Tampering {
  const name = tamperFields.find((one) => one === field);
  if (name === undefined) throw new Error(`needs a field, not "${field ?? ''}": ${tamperFields.join(', ')}`);
  const value = readValue(name, text ?? '');
  const fault = text === undefined ? 'needs a value' : faultOfValue(name, value);
  if (fault) throw new Error(`${name} ${fault}${text === undefined ? '' : `, not "${text}"`}`);
  return { field: name, value };
}

function readValue(name: FieldName, text: string): Tampering['value'] {
  const { type } = fieldOf(name);
  if (type === 'whole' && /^\d{1,9}$/.test(text)) return Number(text);
  if (type === 'flag' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}
