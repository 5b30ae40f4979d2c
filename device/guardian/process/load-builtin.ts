/**
 * Loads a part of Node where it is first used. An `import` of `node:http` touches every one of its exports, and so loads a WebSocket
 * client too: 15 MB of resident memory; `node:tls` costs 7 MB that a guardian without TLS need not pay (Node 24.21, Linux x64).
 */
export function loadBuiltin<Module>(name: 'node:http' | 'node:https' | 'node:tls'): Module {
  return process.getBuiltinModule(name) as Module;
}
