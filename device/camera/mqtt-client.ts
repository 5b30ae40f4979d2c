import {
  factorySettings,
  faultOf,
  type MqttSettings,
  readField,
  type VapixError,
  withDefaults,
} from './mqtt-settings.ts';

/** What goes wrong with a simulated camera; `method` limits it to one call, `times` to that many calls. */
export type CameraFault = { method?: string; times?: number } & (
  | { kind: 'unauthorized' }
  | { kind: 'hang'; seconds: number }
  | { kind: 'internal-error' }
  | { kind: 'ignore-writes' }
  | { kind: 'refuse-field'; field: string }
);

export type MqttClientOptions = {
  serial: string;
  /** Highest version of the MQTT client API. */
  apiVersion: '1.0' | '1.6';
  /** How this firmware spells the two connection states. */
  spelling: readonly [connected: string, disconnected: string];
  /** Whether the client reaches the broker of these settings. */
  connects: (settings: MqttSettings) => boolean;
};

export type MqttClient = {
  /** One JSON call of client.cgi or event.cgi. */
  call: (
    path: string,
    method: string,
    params: MqttSettings,
    version: string | undefined,
  ) => { data: unknown } | { error: VapixError };
  settings: () => MqttSettings;
  change: (settings: MqttSettings, isActive?: boolean) => void;
  subscriptions: () => readonly unknown[];
  subscribe: (filters: readonly unknown[]) => void;
  reset: () => void;
  setWriteFault: (fault: CameraFault | null) => void;
};

export const clientPath = '/axis-cgi/mqtt/client.cgi';
export const eventPath = '/axis-cgi/mqtt/event.cgi';

const versionNotSupported: VapixError = { code: 2100, message: 'API version not supported' };
const methodNotSupported: VapixError = { code: 2102, message: 'Method not supported' };
const invalidValue: VapixError = { code: 2104, message: 'Invalid parameter value specified' };

/** The part of a camera that client.cgi and event.cgi speak about. */
export function createMqttClient({ serial, apiVersion, spelling, connects }: MqttClientOptions): MqttClient {
  let settings = factorySettings(serial);
  let hasPassword = false;
  let isActive = false;
  let filters: readonly unknown[] = [];
  let fault: CameraFault | null = null;

  const configure = (params: MqttSettings): { data: unknown } | { error: VapixError } => {
    const wrong = faultOf(params);
    if (wrong) return { error: wrong };
    if (fault?.kind === 'refuse-field' && readField(params, fault.field) !== readField(settings, fault.field))
      return { error: invalidValue };
    if (fault?.kind === 'ignore-writes') return { data: {} };
    if (params['keepExistingPassword'] !== true) hasPassword = params['password'] !== undefined;
    settings = withDefaults(params, serial);
    return { data: {} };
  };

  const status = () => {
    const [connected, disconnected] = spelling;
    const config = hasPassword ? { ...settings, password: '*****' } : settings;
    const connectionStatus = isActive && connects(settings) ? connected : disconnected;
    return { data: { status: { state: isActive ? 'active' : 'inactive', connectionStatus }, config } };
  };

  const clientMethods: Record<string, (params: MqttSettings) => { data: unknown } | { error: VapixError }> = {
    getSupportedVersions: () => ({ data: { apiVersions: [apiVersion] } }),
    getClientStatus: status,
    configureClient: configure,
    activateClient() {
      if (fault?.kind !== 'ignore-writes') isActive = true;
      return { data: {} };
    },
    deactivateClient() {
      isActive = false;
      return { data: {} };
    },
  };
  const eventMethods: typeof clientMethods = {
    getSupportedVersions: () => ({ data: { apiVersions: ['1.3', '2.1'] } }),
    getMqttSubscriptionConfig: () => ({ data: { mqttSubscriptionConfig: { mqttFilterList: filters } } }),
    configureMqttSubscription(params) {
      filters = params['mqttFilterList'] as unknown[];
      return { data: {} };
    },
  };

  return {
    call(path, method, params, version) {
      const methods = path === clientPath ? clientMethods : eventMethods;
      const handle = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (!handle) return { error: methodNotSupported };
      const highest = path === clientPath ? apiVersion : '1.3';
      if (method !== 'getSupportedVersions' && !isSpoken(version, highest)) return { error: versionNotSupported };
      return handle(params);
    },
    settings: () => structuredClone(settings),
    change(next, active = isActive) {
      settings = next;
      isActive = active;
    },
    subscriptions: () => filters,
    subscribe(next) {
      filters = next;
    },
    reset() {
      settings = factorySettings(serial);
      hasPassword = false;
      isActive = false;
      filters = [];
    },
    setWriteFault(next) {
      fault = next;
    },
  };
}

/** A camera speaks every minor version up to its highest. */
function isSpoken(version: string | undefined, highest: string): boolean {
  const [major, minor] = (version ?? '').split('.').map(Number);
  const [highestMajor, highestMinor] = highest.split('.').map(Number);
  return major === highestMajor && Number(minor) <= Number(highestMinor);
}
