// Loaded before a night: takes every module from the checkout that NIGHT_OF names, except the night itself and its checker.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const own = new URL('../../../', import.meta.url).href;
const other = `${pathToFileURL(process.env['NIGHT_OF'] ?? '.').href}/`;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const path = found.url.startsWith(own) ? found.url.slice(own.length) : null;
    const isOurs = path === null || path.startsWith('test/support/night/') || path.startsWith('node_modules/');
    return isOurs ? found : { ...found, url: `${other}${path}` };
  },
});
