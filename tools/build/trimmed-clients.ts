import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/**
 * Static message classes of long-running operations, IAM and locations, which `google-gax` exports. Nothing here uses them, and every cold start
 * would read and parse them.
 */
const unusedClasses = /google-gax[\\/]build[\\/]protos[\\/](iam_service|locations|operations)\.js$/;
/**
 * Those of Firestore's own API, a fifth of `api`. Its client encodes messages by their descriptions, and takes these classes only to bundle data for
 * browsers. It looks one up when it is loaded.
 */
const firestoreClasses = /firestore-api[\\/]build[\\/]protos[\\/]protos\.js$/;
/** A copy of what Node has itself: its package loads it only where that is missing. */
const polyfill = /web-streams-polyfill[\\/]dist[\\/]ponyfill\.es2018\.js$/;

/** Parts that are loaded with a library and never called. A call fails and names the part. */
const leftOut: [filter: RegExp, names: string[]][] = [
  // The administration of databases, in Firestore's client.
  [/firestore-api[\\/]build[\\/]src[\\/]v1[\\/]firestore_admin_client\.js$/, ['FirestoreAdminClient']],
  // What the PDF library needs for SVG, forms, archives and colours by name: reports have none.
  [/node-html-better-parser[\\/]/, ['parse', 'NodeType']],
  [/html-entities[\\/]dist[\\/]esm[\\/]index\.js$/, ['encode']],
];
/** The PDF library asks for a converter of colours when it is loaded. */
const colours = /culori[\\/].*[\\/]index\.js$/;

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
    hooks.onLoad({ filter: firestoreClasses }, () => ({ contents: 'exports.google = { firestore: { v1: {} } };' }));
    hooks.onLoad({ filter: polyfill }, () => ({ contents: 'module.exports = {};' }));
    for (const [filter, names] of leftOut)
      hooks.onLoad({ filter }, () => ({ contents: names.map(failing).join('\n') }));
    hooks.onLoad({ filter: colours }, () => ({
      contents: `${failing('convert')}\nexport const converter = () => convert;`,
    }));
    hooks.onLoad({ filter: locations }, () => ({ contents: noLocations }));
    hooks.onLoad({ filter: descriptions }, ({ path }) => ({
      contents: JSON.stringify(withoutAdministration(JSON.parse(readFileSync(path, 'utf8')))),
      loader: 'json',
    }));
  },
};

function failing(name: string): string {
  return `export function ${name}() { throw new Error('${name} is left out of this bundle'); }`;
}

function withoutAdministration(root: Description): Description {
  const firestore = root.nested?.['google']?.nested?.['firestore']?.nested;
  if (!firestore?.['admin']) throw new Error('the descriptions of Firestore’s messages are no longer as they were');
  delete firestore['admin'];
  return root;
}
