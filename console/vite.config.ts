import { defineConfig } from 'vite';

/** The operators' console: static files with hashed names, no inline script or style, no request to another origin. */
export default defineConfig({
  root: import.meta.dirname,
  // Small pictures become files, too: `data:` stays out of the Content-Security-Policy.
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
