// Prints the public keys of the ledger from the secret itself, so that verifiers need not trust the service for them.
import { readConfig } from '../shared/config.ts';
import { noteKeyOf, verifierKey } from '../shared/domain/ledger/note.ts';

const { ledgerOrigin, ledgerKeys } = readConfig(process.env, ['ledgerOrigin', 'ledgerKeys']);
if (ledgerKeys.length === 0) {
  console.error(
    'LEDGER_KEYS is not set: give it the value of the secret ledger-keys, and LEDGER_ORIGIN the name of the log.',
  );
  process.exitCode = 1;
}
for (const { key } of ledgerKeys) console.log(verifierKey(noteKeyOf(ledgerOrigin, key)));
