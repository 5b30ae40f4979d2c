import { describe, expect, test } from 'vitest';
import { compare, severityOrder } from '../../../../device/guardian/decide/compare.ts';
import { type Configuration, type FieldName, fieldNames, fields } from '../../../../device/guardian/decide/fields.ts';
import { driftSeverities } from '../../../../shared/schema/vocabulary.ts';

const serial = 'ACCC8E000001';
const namesOf = (golden: Configuration, actual: Configuration) =>
  compare(golden, actual, serial).map(({ name }) => name);

describe('comparing a camera with its golden configuration', () => {
  const same: [what: string, field: FieldName, golden: unknown, actual: unknown][] = [
    ['host names differ in case', 'broker.host', 'mqtt.example.com', 'MQTT.Example.COM'],
    ['a host name ends in a dot', 'broker.host', 'mqtt.example.com', 'mqtt.example.com.'],
    ['an address stands in brackets', 'broker.host', '2001:db8::1', '[2001:DB8::1]'],
    ['a port is text', 'broker.port', 8883, '8883'],
    ['a protocol is in capitals', 'broker.protocol', 'ssl', 'SSL'],
    ['a flag is text', 'tls.validateServerCert', true, 'True'],
    ['topics come in another order', 'subscriptions.other', ['b', 'a'], ['a', 'b']],
    ['an absent interval is its default', 'keepAlive', 60, undefined],
    ['an absent prefix is made of the serial number', 'topicPrefix', 'axis/ACCC8E000001', undefined],
    ['an absent user name is empty', 'auth.username', '', undefined],
    ['an absent certificate section does not validate', 'tls.validateServerCert', false, undefined],
  ];
  test.each(same)('finds no drift where %s', (_what, field, golden, actual) => {
    expect(namesOf({ [field]: golden }, actual === undefined ? {} : { [field]: actual })).toEqual([]);
  });

  const different: [what: string, field: FieldName, golden: unknown, actual: unknown][] = [
    ['host names are others', 'broker.host', 'mqtt.example.com', 'mqtt.example.org'],
    ['a host name has a look-alike letter', 'broker.host', 'mqtt.example.com', 'mqtt.exаmple.com'],
    ['a port is no number', 'broker.port', 8883, '8883x'],
    ['a flag is a number', 'tls.validateServerCert', true, 1],
    ['topics differ in case', 'topicPrefix', 'axis/A', 'axis/a'],
    ['client ids differ in case', 'clientId', 'cam-1', 'CAM-1'],
    ['a topic is missing', 'subscriptions.other', ['a', 'b'], ['a']],
    ['validation is absent', 'tls.validateServerCert', true, undefined],
    ['a value is an object', 'clientId', 'cam-1', { id: 'cam-1' }],
  ];
  test.each(different)('finds drift where %s', (_what, field, golden, actual) => {
    expect(namesOf({ [field]: golden }, actual === undefined ? {} : ({ [field]: actual } as Configuration))).toEqual([
      field,
    ]);
  });

  test.each([
    ['tcp', 1883],
    ['ssl', 8883],
    ['ws', 80],
    ['wss', 443],
  ])('treats an absent port of %s as %d', (protocol, port) => {
    expect(namesOf({ 'broker.port': port }, { 'broker.protocol': protocol })).toEqual([]);
    expect(namesOf({ 'broker.port': port + 1 }, { 'broker.protocol': protocol })).toEqual(['broker.port']);
  });

  test('compares no field that golden does not name', () => {
    expect(
      namesOf({ 'broker.host': 'a' }, { 'broker.host': 'a', clientId: 'x', 'tls.validateServerCert': false }),
    ).toEqual([]);
  });

  test('lists the most severe differences first, with what is expected and what is there', () => {
    const golden: Configuration = { keepAlive: 60, qos: 1, topicPrefix: 'a', 'broker.host': 'Mqtt.example.com' };
    const actual: Configuration = { keepAlive: 5, qos: 0, topicPrefix: 'b', 'broker.host': 'Evil.example.net.' };
    expect(compare(golden, actual, serial)).toEqual([
      { name: 'broker.host', expected: 'mqtt.example.com', actual: 'evil.example.net', severity: 'CRITICAL' },
      { name: 'topicPrefix', expected: 'a', actual: 'b', severity: 'HIGH' },
      { name: 'qos', expected: 1, actual: 0, severity: 'MEDIUM' },
      { name: 'keepAlive', expected: 60, actual: 5, severity: 'LOW' },
    ]);
  });

  test('orders severities as the schema does', () => {
    expect(severityOrder).toEqual(driftSeverities);
  });

  test('protects every field at the severity that the behaviour names', () => {
    const bySeverity = Object.groupBy(fieldNames, (name) => fields[name].severity);
    expect(bySeverity).toEqual({
      CRITICAL: [
        'broker.host',
        'broker.port',
        'broker.protocol',
        'tls.validateServerCert',
        'tls.caCertificate',
        'tls.clientCertificate',
        'clientId',
      ],
      HIGH: [
        'auth.username',
        'topicPrefix',
        'subscriptions.command',
        'subscriptions.config',
        'lastWill.topic',
        'lastWill.payload',
        'client.active',
        'client.activateOnReboot',
      ],
      MEDIUM: ['subscriptions.other', 'qos'],
      LOW: ['keepAlive', 'connectTimeout', 'cleanSession'],
    });
  });
});
