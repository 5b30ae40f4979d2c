// Names each alert code of the vocabulary that no decision of the domain can open. People could otherwise write rules for alerts that never
// come.
import { readFileSync } from 'node:fs';
import { alertCodes } from '../shared/schema/vocabulary.ts';
import { sourceFiles } from './imports.ts';

const decisions = sourceFiles('.', ['shared/domain']).filter((file) => !file.endsWith('/catalogue.ts'));
const text = decisions.map((file) => readFileSync(file, 'utf8')).join('\n');
const unknown = alertCodes.filter((code) => !text.includes(`'${code}'`));
for (const code of unknown) console.error(`${code}: no condition in shared/domain/alert/conditions opens it`);
process.exitCode = unknown.length > 0 || decisions.length === 0 ? 1 : 0;
