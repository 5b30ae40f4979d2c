import { createHmac, createPublicKey, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noteKeyOf, verifierKey } from '../../shared/domain/ledger/note.ts';
import { type Credential, createAuthority, createServerCredential } from '../machine/certificates.ts';
import { readJsonFile, replaceFile } from '../machine/files.ts';

/** The secrets of a stack, created at its first start. */
export type Secrets = {
  /** PAGE_TOKEN_KEYS, DATA_KEYS and LEDGER_KEYS in the format of the settings. */
  pageTokenKeys: string;
  dataKeys: string;
  ledgerKeys: string;
  /** The key from which account passwords of the broker are derived. */
  accountsKey: string;
  /** Private key of the issuer, a JWK. */
  signingKey: Record<string, unknown>;
  /** Private key of the functions' account, PEM. In the cloud only the platform has it. */
  accountKey: string;
  authority: Credential;
  server: Credential;
};

export type CertificateFiles = { caFile: string; certificateFile: string; certificateKeyFile: string };

/** The name of the ledger in its checkpoints. */
export const ledgerOrigin = 'watchpost.local/ledger';

const renewalDays = 30;

/**
 * Reads the secrets of a data directory, or creates them. Certificates that end within 30 days are made anew. Only the
 * owner of the file may read it.
 */
export function loadSecrets(dataDir: string, now: Date): Secrets {
  const path = join(dataDir, 'keys.json');
  const kept = readJsonFile<Secrets>(path);
  const authority = kept && isFresh(kept.authority, now) ? kept.authority : createAuthority(now);
  const secrets: Secrets = {
    pageTokenKeys: kept?.pageTokenKeys ?? `local:${randomBytes(32).toString('base64')}`,
    dataKeys: kept?.dataKeys ?? `local:${randomBytes(32).toString('base64')}`,
    ledgerKeys: kept?.ledgerKeys ?? `local:${randomBytes(32).toString('base64')}`,
    accountsKey: kept?.accountsKey ?? randomBytes(32).toString('base64'),
    signingKey: kept?.signingKey ?? createSigningKey(),
    accountKey: kept?.accountKey ?? createAccountKey(),
    authority,
    server: kept && authority === kept.authority ? kept.server : createServerCredential(authority, now),
  };
  replaceFile(path, JSON.stringify(secrets), 0o600);
  replaceFile(join(dataDir, 'ledger.key'), `${ledgerKeyOf(secrets)}\n`, 0o644);
  return secrets;
}

/** The public key that verifies the ledger's checkpoints. */
function ledgerKeyOf({ ledgerKeys }: Secrets): string {
  const seed = Buffer.from(ledgerKeys.split(':')[1] ?? '', 'base64');
  return verifierKey(noteKeyOf(ledgerOrigin, seed));
}

/** Writes the files that TLS needs. `trusted` is PEM that the caller trusts in addition to the stack's own authority. */
export function writeCertificates(dataDir: string, { authority, server }: Secrets, trusted: string): CertificateFiles {
  const folder = join(dataDir, 'tls');
  mkdirSync(folder, { recursive: true });
  const files: CertificateFiles = {
    caFile: join(folder, 'ca.pem'),
    certificateFile: join(folder, 'localhost.pem'),
    certificateKeyFile: join(folder, 'localhost-key.pem'),
  };
  writeFileSync(files.caFile, `${authority.certificate}${trusted}`);
  writeFileSync(files.certificateFile, server.certificate);
  writeFileSync(files.certificateKeyFile, server.key, { mode: 0o600 });
  return files;
}

/** The broker has an account for every name. Passwords are derived from the key, so they need not be stored. */
export function passwordOf(accountsKey: string, user: string): string {
  return createHmac('sha256', accountsKey).update(user).digest('base64url');
}

/** Writes the credentials of an account as Google's clients read them. @returns the file */
export function writeAccount(dataDir: string, email: string, { accountKey }: Secrets): string {
  const path = join(dataDir, 'account.json');
  const account = { type: 'service_account', client_email: email, private_key: accountKey };
  replaceFile(path, JSON.stringify(account), 0o600);
  return path;
}

/** The public key that verifies the account's signatures: SPKI, PEM. */
export function publicKeyOf({ accountKey }: Pick<Secrets, 'accountKey'>): string {
  return createPublicKey(accountKey).export({ type: 'spki', format: 'pem' }).toString();
}

function createAccountKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function createSigningKey(): Record<string, unknown> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = randomBytes(8).toString('hex');
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
}

function isFresh({ certificate }: Credential, now: Date): boolean {
  return new X509Certificate(certificate).validToDate.getTime() > now.getTime() + renewalDays * 86_400_000;
}
