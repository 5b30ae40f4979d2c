import { spawn } from 'node:child_process';
import { json } from 'node:stream/consumers';
import { judge } from '../../../verify/watchpost-verify.ts';

/** What a verifier is given. `known`: what it remembered of an earlier checkpoint. */
export type Question = { bytes: Buffer; keys: string[]; from?: string; to?: string; known: string | null };
/** Exit code, what is printed, and what `--json` prints where anything is proven. */
export type JudgedBundle = { status: number | null; text: string; data: string | null };

/**
 * The answer of both verifiers to each question.
 * @throws Error where they differ
 */
export async function answersOf(questions: readonly Question[]): Promise<JudgedBundle[]> {
  const [python, script] = await Promise.all([byPython(questions), byScript(questions)]);
  for (const [index, answer] of script.entries()) {
    const other = python[index];
    if (JSON.stringify(answer) === JSON.stringify(other)) continue;
    const shown = JSON.stringify({
      bundle: questions[index]?.bytes.toString('latin1').slice(0, 2000),
      python: other,
      script: answer,
    });
    throw new Error(`The verifiers differ on case ${index}: ${shown}`);
  }
  return script;
}

async function byScript(questions: readonly Question[]): Promise<JudgedBundle[]> {
  const answers: JudgedBundle[] = [];
  for (const { bytes, keys, from, to, known } of questions) {
    const { status, text, json } = await judge(new Uint8Array(bytes), {
      keys,
      from,
      to,
      remembered: known ?? undefined,
    });
    answers.push({ status, text, data: json });
  }
  return answers;
}

/** All in one process. */
async function byPython(questions: readonly Question[]): Promise<JudgedBundle[]> {
  const process = spawn('python3', ['test/support/ledger/judge_many.py'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = questions.map((each) => JSON.stringify({ ...each, bytes: each.bytes.toString('base64') }));
  process.stdin.end(`${lines.join('\n')}\n`);
  return (await json(process.stdout)) as JudgedBundle[];
}
