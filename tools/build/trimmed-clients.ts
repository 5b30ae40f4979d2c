import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/**
 * Static message classes of long-running operations, IAM and locations, which `google-gax` exports. Nothing here uses them, and every cold start
 * would read and parse them. (Those of Firestore itself are used.)
 */
const unusedClasses = /google-gax[\\/]build[\\/]protos[\\/](iam_service|locations|operations)\.js$/;

/** The client of Google's locations. Every Firestore client creates it and we never call it: a tenth of the time to a first query. */
const locations = /google-gax[\\/]build[\\/]src[\\/]locationService\.js$/;
const noLocations = 'exports.LocationsClient = class { async close() {} };';

/** The descriptions of Firestore's messages. Two fifths are of its administration API and would be read with the first query too. */
const descriptions = /firestore-api[\\/]build[\\/]protos[\\/]protos\.json$/;

type Description = { nested?: Record<string, Description> };

/** Removes parts of Google's clients that are never used and would cost time at each cold start. */
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
