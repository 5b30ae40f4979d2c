import { expect, test } from 'vitest';
import { readConfig, type SettingName, settingsTable } from '../../shared/config.ts';
import { issuerSetting } from '../support/world/issuer.ts';

const inTheClear: [SettingName, string][] = [
  ['mqttUrl', 'mqtt://user:secret@broker.example'],
  ['authIssuers', issuerSetting({ issuer: 'http://id.example/secret' })],
  ['authIssuers', issuerSetting({ issuer: 'https://id.example', keysUrl: 'http://id.example/secret' })],
  ['callerIssuer', 'http://id.example/secret'],
  ['callerKeysUrl', 'http://id.example/secret'],
  ['deadlineUrl', 'http://deadline.example/secret'],
  ['deliverUrl', 'http://deliver.example/secret'],
  ['consoleUrl', 'http://console.example/secret'],
  ['smtpUrl', 'smtp://u:secret@mail.example?ignoreTLS=true'],
  ['smtpUrl', 'smtp://u:secret@mail.example?pool=true&tls.rejectUnauthorized=false'],
  ['corsOrigins', '*'],
  ['corsOrigins', 'https://console.example,http://secret.example'],
  ['corsOrigins', 'https://*.secret.example'],
];

test.each(inTheClear)(
  '%s is refused in the cloud where it would be spoken in the clear, by name and not by value',
  (name, value) => {
    const { variable } = settingsTable[name];
    const read = (environment: string) => () => readConfig({ ENVIRONMENT: environment, [variable]: value }, [name]);
    expect(read('production')).toThrow(variable);
    expect(read('staging')).toThrow(variable);
    expect(read('production')).not.toThrow(/secret/);
    expect(read('local')).not.toThrow();
  },
);

test.each([
  ['[{"region":"a","region":"secret"}]', 'EGRESS_RANGES must be JSON: a part of it appears twice'],
  ['{"a":{"cidrs":[],"\\u0063idrs":["secret"]}}', 'EGRESS_RANGES must be JSON: a part of it appears twice'],
  ['[{"region":"\\ud800secret"}]', 'EGRESS_RANGES must be JSON: a part of it is not well-formed Unicode'],
  ['secret', 'EGRESS_RANGES must be JSON.'],
])('a setting that is JSON is read as at every edge, and refused by name and not by value: %s', (value, refusal) => {
  const read = () => readConfig({ EGRESS_RANGES: value }, ['egressRanges']);
  expect(read).toThrow(refusal);
  expect(read).not.toThrow(/secret|region|cidrs/);
});

test('what is spoken with TLS is taken', () => {
  const env = {
    MQTT_URL: 'mqtts://broker.example',
    AUTH_ISSUERS: issuerSetting({ issuer: 'https://id.example' }),
    CORS_ORIGINS: 'https://a.example',
  };
  expect(
    readConfig({ ...env, SMTP_URL: 'smtp://u:p@mail.example:587' }, [
      'mqttUrl',
      'authIssuers',
      'corsOrigins',
      'smtpUrl',
    ]),
  ).toMatchObject({
    mqttUrl: 'mqtts://broker.example',
    corsOrigins: ['https://a.example'],
  });
});
