import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** Writes the names of all files of the build into the service worker, which keeps them for a start without a network. */
const filesOfBuild: Plugin = {
  name: 'files-of-build',
  generateBundle(_, bundle) {
    const files = Object.keys(bundle).filter((name) => name.startsWith('assets/'));
    const worker = bundle['offline.js'];
    if (worker?.type !== 'chunk') this.error('the build has no service worker');
    worker.code = worker.code.replace('__FILES__', JSON.stringify(files.toSorted().map((name) => `/${name}`)));
  },
};

/** The operators' console: static files with hashed names, no inline script or style, no request to another origin. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [filesOfBuild],
  // Small images become files too, because the Content-Security-Policy does not allow `data:`.
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: {
        index: join(import.meta.dirname, 'index.html'),
        offline: join(import.meta.dirname, 'src/offline/worker.ts'),
      },
      output: {
        entryFileNames: ({ name }) => (name === 'offline' ? 'offline.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
