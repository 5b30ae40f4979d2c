import { Firestore } from '@google-cloud/firestore';

/** A client of the Firestore emulator of a stack. The client takes it only from the environment: any other place would be asked with credentials. */
export function connectEmulator({
  projectId,
  firestoreHost,
}: {
  projectId: string;
  firestoreHost: string | null;
}): Firestore {
  if (firestoreHost === null) throw new Error('this stack runs without the Firestore emulator');
  process.env['FIRESTORE_EMULATOR_HOST'] = firestoreHost;
  return new Firestore({ projectId });
}
