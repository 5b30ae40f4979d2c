/**
 * The folder of compiled code beside the code of a deployed function. Terraform passes it to Node (`NODE_COMPILE_CACHE`) with the path at
 * which the platform builds and runs a function: `/workspace`.
 */
export const compileCacheFolder = '.compile-cache';

/**
 * The script that Google's buildpack runs after it has installed a function's packages, in the image and at the path where the function will run. It
 * loads everything that the function may load, and Node stores the compiled code. The cache is valid for one Node version, processor and user;
 * otherwise Node compiles as usual. The folder is then made read-only, so that an instance that cannot use the cache
 * does not write another one, which would be lost with the instance. Never fails: without a cache a function only
 * starts more slowly.
 * @param modules names for `require` in the function's folder
 */
export function compileScript(modules: readonly string[]): string {
  const loaded = modules.map((name) => `--require ${name}`).join(' ');
  // The framework's command with `--help` loads the framework, prints its usage and ends.
  const load = `node ${loaded} node_modules/.bin/functions-framework --help`;
  const compile = `NODE_COMPILE_CACHE="$PWD/${compileCacheFolder}" ${load} >/dev/null 2>&1`;
  const close = `chmod -R a-w ${compileCacheFolder}`;
  return `${compile} && ${close} || echo 'Nothing was compiled ahead: this function will take longer to start.'`;
}
