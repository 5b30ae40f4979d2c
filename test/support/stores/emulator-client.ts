import { Firestore } from '@google-cloud/firestore';

/** A client of a stack's Firestore emulator. The client reads its address only from the environment: otherwise it would use credentials. */
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
