import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/**
 * Static message classes of long-running operations, IAM and locations, which `google-gax` exports. Nothing here uses them, and every cold start
 * would read and parse them.
 */
const unusedClasses = /google-gax[\\/]build[\\/]protos[\\/](iam_service|locations|operations)\.js$/;
/**
 * Static message classes of Firestore's own API: a fifth of the bundle of `api`. Firestore's client encodes messages by
 * their descriptions, and needs these classes only to bundle data for browsers. When it is loaded it looks one up, so
 * the objects around the classes remain.
 */
const firestoreClasses = /firestore-api[\\/]build[\\/]protos[\\/]protos\.js$/;
/** An implementation of web streams. A package requires it only if Node has none, and Node has them. */
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

/**
 * The client of Google's locations API. Every Firestore client creates it, in a tenth of the time to a first query; we
 * never call it.
 */
const locations = /google-gax[\\/]build[\\/]src[\\/]locationService\.js$/;
const noLocations = 'exports.LocationsClient = class { async close() {} };';

/**
 * The descriptions of Firestore's messages. Two fifths describe its administration API; the first query would read
 * these too.
 */
const descriptions = /firestore-api[\\/]build[\\/]protos[\\/]protos\.json$/;

type Description = { nested?: Record<string, Description> };

/**
 * Removes parts of Google's clients and of the PDF library that are never used and would cost time at each cold start.
 */
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
