/**
 * The folder of compiled code beside the code of a deployed function. Terraform passes it to Node (`NODE_COMPILE_CACHE`) with the path at
 * which the platform builds and runs a function: `/workspace`.
 */
export const compileCacheFolder = '.compile-cache';

/**
 * The script that Google's buildpack runs once it has installed a function's packages, on the image and at the path that the function will
 * run at. It loads all that a function may ever load, which Node then keeps compiled: Node keeps it with its version, the processor's
 * features and the user, and goes without where one of these differs. So that such a start does not compile for a cache that nobody
 * will read, the folder can then only be read. Never fails: a function without is slower to start, and nothing else.
 * @param modules what the function loads, as `require` takes it from the folder of the function
 */
export function compileScript(modules: readonly string[]): string {
  const loaded = modules.map((name) => `--require ${name}`).join(' ');
  // The framework's command with `--help` loads the framework, says how it is used, and ends.
  const load = `node ${loaded} node_modules/.bin/functions-framework --help`;
  const compile = `NODE_COMPILE_CACHE="$PWD/${compileCacheFolder}" ${load} >/dev/null 2>&1`;
  const close = `chmod -R a-w ${compileCacheFolder}`;
  return `${compile} && ${close} || echo 'Nothing was compiled ahead: this function will take longer to start.'`;
}
