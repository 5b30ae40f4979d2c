/** A device id that no device may use. Canaries and drills come through the broker under it. */
export const reservedDeviceId = 'watchpost';

/** The device of the standing drill. The registry does not contain it, and no message from outside may use its name. */
export const drillDeviceId = 'watchpost-drill';

/**
 * Names that brokers' access lists give to the bridge, the guardians, the probe and the canary (`local/brokers/lists`). A camera's account is named after the
 * camera, so a camera of such a name would have their rights.
 */
const ofAccounts = /^(bridge|watchpost|watchpost-.*|guardian-.*)$/;

/** Whether an id is the service's own, or the name of an account that is no camera's, so that no device may have it. */
export function isReserved(deviceId: string): boolean {
  return ofAccounts.test(deviceId);
}

/** Whether a text from a request can be the id of a record. Some other texts are not even allowed as names in the store. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
