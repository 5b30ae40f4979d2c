import {
  factorySettings,
  faultOf,
  type MqttSettings,
  readField,
  type VapixError,
  withDefaults,
} from './mqtt-settings.ts';

/** A fault of a simulated camera. `method` limits it to calls of one method, `times` to that number of calls. */
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
  /** Called after each change with the settings and whether the client is active. */
  onChange: (settings: MqttSettings, isActive: boolean) => void;
};

type ClientState = { settings: MqttSettings; hasPassword: boolean; isActive: boolean; filters: readonly unknown[] };
type Result = { data: unknown } | { error: VapixError };
type Methods = Record<string, (params: MqttSettings) => Result>;

export type MqttClient = {
  /** One JSON call of client.cgi or event.cgi. */
  call: (path: string, method: string, params: MqttSettings, version: string | undefined) => Result;
  settings: () => MqttSettings;
  hasPassword: () => boolean;
  subscriptions: () => readonly unknown[];
  change: (state: Partial<ClientState>) => void;
  reset: () => void;
  setWriteFault: (fault: CameraFault | null) => void;
};

export const clientPath = '/axis-cgi/mqtt/client.cgi';
export const eventPath = '/axis-cgi/mqtt/event.cgi';

const eventVersion = '1.3';
const done: Result = { data: {} };
const versionNotSupported: VapixError = { code: 2100, message: 'API version not supported' };
const methodNotSupported: VapixError = { code: 2102, message: 'Method not supported' };
const invalidValue: VapixError = { code: 2104, message: 'Invalid parameter value specified' };

/** The part of a camera that client.cgi and event.cgi control. */
export function createMqttClient(options: MqttClientOptions): MqttClient {
  const { serial, apiVersion, spelling, connects, onChange } = options;
  const factory: ClientState = { settings: factorySettings(serial), hasPassword: false, isActive: false, filters: [] };
  let state = factory;
  let fault: CameraFault | null = null;
  const become = (next: Partial<ClientState>) => {
    state = { ...state, ...next };
    onChange(structuredClone(state.settings), state.isActive);
  };

  const clientMethods: Methods = {
    getSupportedVersions: () => ({ data: { apiVersions: [apiVersion] } }),
    getClientStatus: () => ({ data: statusOf(state, state.isActive && connects(state.settings), spelling) }),
    configureClient(params) {
      const wrong = faultOf(params) ?? refusalOf(fault, params, state.settings);
      if (wrong) return { error: wrong };
      if (fault?.kind === 'ignore-writes') return done;
      const hasPassword =
        params['keepExistingPassword'] === true ? state.hasPassword : params['password'] !== undefined;
      become({ settings: withDefaults(params, serial), hasPassword });
      return done;
    },
    activateClient() {
      if (fault?.kind !== 'ignore-writes') become({ isActive: true });
      return done;
    },
    deactivateClient() {
      become({ isActive: false });
      return done;
    },
  };
  const eventMethods: Methods = {
    getSupportedVersions: () => ({ data: { apiVersions: [eventVersion, '2.1'] } }),
    getMqttSubscriptionConfig: () => ({ data: { mqttSubscriptionConfig: { mqttFilterList: state.filters } } }),
    configureMqttSubscription(params) {
      become({ filters: params['mqttFilterList'] as unknown[] });
      return done;
    },
  };

  return {
    call(path, method, params, version) {
      const methods = path === clientPath ? clientMethods : eventMethods;
      const handle = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (!handle) return { error: methodNotSupported };
      const highest = path === clientPath ? apiVersion : eventVersion;
      if (method !== 'getSupportedVersions' && !isSpoken(version, highest)) return { error: versionNotSupported };
      return handle(params);
    },
    settings: () => structuredClone(state.settings),
    hasPassword: () => state.hasPassword,
    subscriptions: () => state.filters,
    change: become,
    reset: () => become(factory),
    setWriteFault(next) {
      fault = next;
    },
  };
}

function statusOf(
  { settings, hasPassword, isActive }: ClientState,
  isConnected: boolean,
  spelling: MqttClientOptions['spelling'],
) {
  const config = hasPassword ? { ...settings, password: '*****' } : settings;
  const connectionStatus = isConnected ? spelling[0] : spelling[1];
  return { status: { state: isActive ? 'active' : 'inactive', connectionStatus }, config };
}

/** With `refuse-field`, a call is refused if it would change that field. A call with the present value is accepted. */
function refusalOf(fault: CameraFault | null, params: MqttSettings, present: MqttSettings): VapixError | null {
  const isRefused =
    fault?.kind === 'refuse-field' && readField(params, fault.field) !== readField(present, fault.field);
  return isRefused ? invalidValue : null;
}

/** A camera supports each minor version up to its highest. */
function isSpoken(version: string | undefined, highest: string): boolean {
  const [major, minor] = (version ?? '').split('.').map(Number);
  const [highestMajor, highestMinor] = highest.split('.').map(Number);
  return major === highestMajor && Number(minor) <= Number(highestMinor);
}
