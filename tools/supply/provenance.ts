import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { sha256Of } from './sbom.ts';

/** A built file and its digest. */
export type Subject = { name: string; sha256: string };

/**
 * What was built from what, as an in-toto statement with a SLSA provenance predicate. It is unsigned, so it proves nothing by itself. The builds are
 * reproducible: anybody can check it by building the commit again.
 */
export function provenanceOf(subjects: readonly Subject[], root: string): object {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://watchpost.dev/builds/npm-run-build/v1',
        externalParameters: { command: 'npm ci && npm run build' },
        internalParameters: { platform: `${process.platform}-${process.arch}` },
        resolvedDependencies: [
          ...commitOf(root),
          { name: 'package-lock.json', digest: { sha256: sha256Of(readFileSync(`${root}/package-lock.json`)) } },
          { uri: `pkg:generic/node@${process.version}`, digest: { sha256: sha256Of(readFileSync(process.execPath)) } },
        ],
      },
      runDetails: { builder: { id: 'https://watchpost.dev/builders/unsigned' } },
    },
  };
}

/** The commit that is built; `annotations.changed` says that files differ from it. Empty if the build is not made from a clone. */
function commitOf(root: string): object[] {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const head = git('rev-parse', 'HEAD');
  if (head.status !== 0) return [];
  const changed = git('status', '--porcelain', '--untracked-files=no').stdout.trim() !== '';
  return [
    { name: 'source', digest: { gitCommit: head.stdout.trim() }, ...(changed ? { annotations: { changed } } : {}) },
  ];
}
