import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ProofBundle } from '../../../../shared/schema/ledger/ledger.ts';
import type { Answer } from '../../../../verify/watchpost-verify.ts';
import { failureFrom, read } from '../../client/api.ts';
import { saveAs } from '../../client/download.ts';
import { Form, TextField } from '../../components/form.tsx';
import { say, sayFailure } from '../../components/toast.tsx';
import { shortTime } from '../../format.ts';

const stored = 'watchpost.ledger-key';

/**
 * Checks in the browser what the ledger proves of a camera, by the verifier that shares no code with the service and with a key that the reader got
 * elsewhere, and downloads the same proof for others.
 */
export function Proof({ deviceId, from }: { deviceId: string; from: string }): JSX.Element {
  const [key, setKey] = useState(localStorage.getItem(stored) ?? '');
  const [answer, setAnswer] = useState<Pick<Answer, 'status' | 'text'> | null>(null);
  const bundle = async (): Promise<string | null> => {
    const of = (to: string) => read<ProofBundle>('/v1/ledger/proof', { deviceId, from, to });
    const { entries, recordedTo } = await of(new Date().toISOString());
    // Only recorded time can be proven.
    return entries.length === 0 ? null : JSON.stringify(await of(recordedTo), null, 1);
  };
  const check = async () => {
    try {
      const text = await bundle();
      if (text === null) return setAnswer(notYet);
      localStorage.setItem(stored, key.trim());
      const { judge } = await import('../../../../verify/watchpost-verify.ts');
      setAnswer(await judge(new TextEncoder().encode(text), { keys: [key.trim()] }));
    } catch (error) {
      setAnswer({ status: 2, text: failureFrom(error).detail });
    }
  };
  const download = async () => {
    try {
      const text = await bundle();
      if (text === null) return say(notYet.text);
      saveAs(new Blob([text], { type: 'application/json' }), `proof-${deviceId}.json`);
      say(`Recorded up to ${shortTime((JSON.parse(text) as ProofBundle).to)}. docs/proof.md says how to check it.`);
    } catch (error) {
      sayFailure(error);
    }
  };
  return (
    <div class="proof">
      <h3>Proof</h3>
      <Form onSubmit={check}>
        <TextField
          label="Verifier key of the ledger"
          value={key}
          onChange={setKey}
          hint="As your operator publishes it, not from this service: NAME+HASH+KEY. It is remembered in this browser."
        />
        <div class="buttons">
          <button type="submit" class="button primary" disabled={!key.trim()}>
            Check it here
          </button>
          <button type="button" class="button" onClick={() => void download()}>
            Download the proof
          </button>
        </div>
      </Form>
      {answer ? (
        <div class={answer.status === 0 ? 'notice good' : 'notice problem'} role="status">
          <strong>{verdicts[answer.status]}</strong>
          <pre>{answer.text}</pre>
        </div>
      ) : null}
    </div>
  );
}

const notYet = { status: 2, text: 'Nothing is recorded yet. Ask again in two minutes.' } as const;
const verdicts = ['Proven', 'Not proven', 'It cannot be decided'] as const;
