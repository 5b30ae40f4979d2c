import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/**
 * Static message classes of long operations, rights and locations, which `google-gax` passes on to whoever asks for them. Nobody here does,
 * and they would be read and parsed at every cold start. (Those of Firestore itself are used.)
 */
const unusedClasses = /google-gax[\\/]build[\\/]protos[\\/](iam_service|locations|operations)\.js$/;

/** The client of Google's locations, which every client of Firestore makes and we never ask: a tenth of the time to a first query. */
const locations = /google-gax[\\/]build[\\/]src[\\/]locationService\.js$/;
const noLocations = 'exports.LocationsClient = class { async close() {} };';

/** The descriptions of Firestore's messages; two fifths are of its administration, read in with the first query all the same. */
const descriptions = /firestore-api[\\/]build[\\/]protos[\\/]protos\.json$/;

type Description = { nested?: Record<string, Description> };

/** Leaves out of Google's clients what is never used and would be paid for at every cold start. */
export const withTrimmedClients: Plugin = {
  name: 'with-trimmed-clients',
  setup(hooks) {
    hooks.onLoad({ filter: unusedClasses }, () => ({ contents: 'module.exports = {};' }));
    hooks.onLoad({ filter: locations }, () => ({ contents: noLocations }));
    hooks.onLoad({ filter: descriptions }, ({ path }) => ({
      contents: JSON.stringify(withoutAdministration(JSON.parse(readFileSync(path, 'utf8')))),
      loader: 'json',
    }));
  },
};

function withoutAdministration(root: Description): Description {
  const firestore = root.nested?.['google']?.nested?.['firestore']?.nested;
  if (!firestore?.['admin']) throw new Error('the descriptions of Firestore’s messages are no longer as they were');
  delete firestore['admin'];
  return root;
}
