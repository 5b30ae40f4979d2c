import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openSigned, readGolden, readPublicKey, watchSignedFile } from '../../../../device/guardian/golden/golden.ts';

const folder = mkdtempSync(join(tmpdir(), 'guardian-golden-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pair = generateKeyPairSync('ed25519');
const publicKey = readPublicKey(rawKey(pair.publicKey));
const document = {
  generation: 3,
  configuration: { broker: { host: 'mqtt.example.com', port: 8883 }, clientId: 'cam-1' },
};

describe('a golden configuration', () => {
  test('names nested members by their dotted field names', () => {
    const faults: string[] = [];
    const configuration = {
      ...document.configuration,
      tls: { validateServerCert: true },
      subscriptions: { command: 'devices/cam-1/command', other: ['a', 'b'] },
      lastWill: { topic: 't', payload: '{"status":"offline"}' },
      client: { active: true },
      qos: 1,
      keepAlive: 60,
    };
    const golden = readGolden({ deviceId: 'cam-1', generation: 1, configuration }, 'cam-1', 'golden', faults);
    expect(faults).toEqual([]);
    expect(golden.configuration).toEqual({
      'broker.host': 'mqtt.example.com',
      'broker.port': 8883,
      clientId: 'cam-1',
      'tls.validateServerCert': true,
      'subscriptions.command': 'devices/cam-1/command',
      'subscriptions.other': ['a', 'b'],
      'lastWill.topic': 't',
      'lastWill.payload': '{"status":"offline"}',
      'client.active': true,
      qos: 1,
      keepAlive: 60,
    });
  });

  const bad: [what: string, value: unknown, fault: string][] = [
    ['is no object', 'x', 'golden must be an object'],
    ['has no generation', { configuration: { clientId: 'a' } }, 'golden.generation must be a whole number from 1'],
    [
      'has generation 0',
      { generation: 0, configuration: { clientId: 'a' } },
      'golden.generation must be a whole number from 1',
    ],
    ['has no configuration', { generation: 1 }, 'golden.configuration must be an object'],
    ['names nothing', { deviceId: 'cam-1', generation: 1, configuration: {} }, 'golden.configuration names no field'],
    [
      'has an unknown member',
      { generation: 1, valid: true, configuration: { clientId: 'a' } },
      'golden.valid is not known',
    ],
    [
      'names an unknown field',
      only({ broker: { hots: 'a' } }),
      'golden.configuration.broker.hots is no protected field',
    ],
    [
      'names an unknown section',
      only({ brocker: { host: 'a' } }),
      'golden.configuration.brocker is no protected field',
    ],
    [
      'has a port as text',
      only({ broker: { port: '8883' } }),
      'golden.configuration.broker.port must be a whole number up to 65535',
    ],
    ['has a quality of service of 3', only({ qos: 3 }), 'golden.configuration.qos must be a whole number up to 2'],
    ['has a flag as text', only({ cleanSession: 'true' }), 'golden.configuration.cleanSession must be true or false'],
    [
      'has a host with a path',
      only({ broker: { host: 'a/b' } }),
      'golden.configuration.broker.host must be a host name or address',
    ],
    [
      'has another protocol',
      only({ broker: { protocol: 'mqtt' } }),
      'golden.configuration.broker.protocol must be tcp, ssl, ws or wss',
    ],
    [
      'holds a password',
      only({ auth: { username: 'a', password: 'b' } }),
      'golden.configuration.auth.password is a secret: it belongs into GUARDIAN_CLIENT_PASSWORD',
    ],
    [
      'holds a certificate',
      only({ tls: { caCertificate: '-----BEGIN CERTIFICATE-----' } }),
      "golden.configuration.tls.caCertificate must be the certificate's id in the camera, not its content",
    ],
    ['names no camera', document, 'golden.deviceId is missing'],
    ['is meant for another camera', { ...document, deviceId: 'cam-2' }, 'golden.deviceId is that of another camera'],
  ];
  test.each(bad)("that %s is refused with the member's name", (_what, value, fault) => {
    const faults: string[] = [];
    readGolden(value, 'cam-1', 'golden', faults);
    expect(faults).toContain(fault);
    expect(faults.join()).not.toContain('"b"');
  });
});

describe('a signed golden configuration', () => {
  const meant = { ...document, deviceId: 'cam-1' };
  const bytes = Buffer.from(`${JSON.stringify(meant)}\n`);
  const signed = sealed(bytes, pair.privateKey);

  test('is accepted if the signature is valid for its exact bytes', () => {
    expect(openSigned(signed, publicKey, 'cam-1')).toEqual({
      generation: 3,
      configuration: { 'broker.host': 'mqtt.example.com', 'broker.port': 8883, clientId: 'cam-1' },
    });
  });

  test('is refused with any one bit of it changed', () => {
    const content = signed.indexOf('\n') + 1;
    for (let index = content; index < signed.length; index += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = Buffer.from(signed);
        changed.writeUInt8(changed.readUInt8(index) ^ (1 << bit), index);
        expect(() => openSigned(changed, publicKey, 'cam-1')).toThrow('Its signature does not verify.');
      }
    }
  });

  const forged: [what: string, bytes: Buffer][] = [
    ['is signed with another key', sealed(bytes, generateKeyPairSync('ed25519').privateKey)],
    ['has no signature', bytes],
    ['has an empty signature', Buffer.concat([Buffer.from('\n'), bytes])],
    ['has a longer signature', Buffer.concat([Buffer.from('AAAA'), signed])],
    ['has a byte more at its end', Buffer.concat([signed, Buffer.from(' ')])],
    ['is empty', Buffer.alloc(0)],
  ];
  test.each(forged)('is refused when it %s', (_what, forgery) => {
    expect(() => openSigned(forgery, publicKey, 'cam-1')).toThrow('Its signature does not verify.');
  });

  test('for another camera is refused even if the signature is valid', () => {
    const foreign = sealed(Buffer.from(JSON.stringify({ ...document, deviceId: 'cam-2' })), pair.privateKey);
    expect(() => openSigned(foreign, publicKey, 'cam-1')).toThrow('golden.deviceId is that of another camera');
  });

  test('that names no camera is refused even if the signature is valid: it could be given to any camera', () => {
    const anybody = sealed(Buffer.from(JSON.stringify(document)), pair.privateKey);
    expect(() => openSigned(anybody, publicKey, 'cam-1')).toThrow('golden.deviceId is missing');
  });

  test.each(['', 'AAAA', Buffer.alloc(33).toString('base64')])('refuses %o as a public key', (text) => {
    expect(() => readPublicKey(text)).toThrow('must be an Ed25519 public key: 32 bytes in base64');
  });

  test('is offered once when its file appears, and once after each replacement', () => {
    const path = join(folder, 'golden.signed');
    const look = watchSignedFile(path, publicKey, 'cam-1');
    expect(look()).toEqual({ status: 'refused', reason: 'It cannot be read (ENOENT).' });
    replace(path, signed);
    expect(look()).toMatchObject({ status: 'offered', golden: { generation: 3 } });
    expect(look()).toEqual({ status: 'unchanged' });
    replace(path, sealed(Buffer.from(JSON.stringify({ ...meant, generation: 4 })), pair.privateKey));
    expect(look()).toMatchObject({ status: 'offered', golden: { generation: 4 } });
    replace(path, Buffer.from('AAAA\n{}'));
    expect(look()).toEqual({ status: 'refused', reason: 'Its signature does not verify.' });
  });

  test('is offered again when it returns unchanged after it could not be read', () => {
    const path = join(folder, 'away.signed');
    const look = watchSignedFile(path, publicKey, 'cam-1');
    replace(path, signed);
    look();
    renameSync(path, `${path}.away`);
    expect(look()).toEqual({ status: 'refused', reason: 'It cannot be read (ENOENT).' });
    renameSync(`${path}.away`, path);
    expect(look()).toMatchObject({ status: 'offered', golden: { generation: 3 } });
    expect(look()).toEqual({ status: 'unchanged' });
  });
});

function only(configuration: object): object {
  return { generation: 1, configuration };
}

function rawKey(key: KeyObject): string {
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');
}

function sealed(content: Buffer, key: KeyObject): Buffer {
  return Buffer.concat([Buffer.from(`${sign(null, content, key).toString('base64')}\n`), content]);
}

function replace(path: string, content: Buffer): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}
