import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** Faults of names and of parameter lists, each with its place. */
export type Words = {
  /** Types that are named by a participle instead of a noun. */
  participles: { file: string; name: string }[];
  /** Names of types that several files declare. */
  repeated: string[];
  /** Functions outside the domain that are named as pure decisions. */
  decisions: string[];
  /** Functions with more than five parameters. */
  longCalls: string[];
};

const mostParameters = 5;
/** Nouns that end like participles. */
const nouns: ReadonlySet<string> = new Set(['Feed', 'Need', 'Seed', 'Speed']);
const participle =
  /^(?:un)?(?:[a-z]+ed|given|known|found|taken|seen|kept|written|sent|said|shown|made|read|left|held|lost|met|begun|built|told|drawn|chosen|gone|done|heard|spent)$/;

export function readWords(root: string, files: readonly string[]): Words {
  const declared = new Map<string, Set<string>>();
  const words: Words = { participles: [], repeated: [], decisions: [], longCalls: [] };
  for (const file of files) {
    const { types, functions } = namesIn(file, readFileSync(join(root, file), 'utf8'));
    const isOfService = /^(?:shared|functions)\//.test(file);
    for (const name of isOfService ? types : []) declared.set(name, (declared.get(name) ?? new Set()).add(file));
    if (isOfService || file.startsWith('bridge/'))
      words.participles.push(...types.filter(isParticiple).map((name) => ({ file, name })));
    if (isOfService && !file.startsWith('shared/domain/'))
      words.decisions.push(...functions.filter(({ name }) => /^decide[A-Z]/.test(name)).map(({ place }) => place));
    words.longCalls.push(
      ...functions.filter(({ parameters }) => parameters > mostParameters).map(({ place }) => place),
    );
  }
  words.repeated = [...declared].filter(([, of]) => of.size > 1).map(([name]) => name);
  return words;
}

/** Whether the name of a type is one participle: `Asked`, `NotNotified`, but not `AskedPage`. */
export function isParticiple(name: string): boolean {
  const word = name.replace(/^Not(?=[A-Z])/, '');
  return !nouns.has(word) && participle.test(word.charAt(0).toLowerCase() + word.slice(1));
}

function namesIn(file: string, source: string) {
  const types: string[] = [];
  const functions: { name: string; parameters: number; place: string }[] = [];
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  const add = (node: { start: number; params: unknown[]; id?: { name: string } | null }) => {
    const name = node.id?.name ?? '';
    functions.push({ name, parameters: node.params.length, place: `${file}:${lineAt(node.start)} ${name}` });
  };
  new Visitor({
    TSTypeAliasDeclaration: ({ id }) => void types.push(id.name),
    TSInterfaceDeclaration: ({ id }) => void types.push(id.name),
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  }).visit(parseSync(file, source).program);
  return { types, functions };
}
