import { type BrowserServer, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findChromium } from '../../../tools/chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the browser of a run listens. Null: there is no Chromium. */
    browserAddress: string | null;
  }
}

/** Starts the browser that all files of a run share, each with windows of its own: their cookies and stores are apart. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = findChromium();
  const server: BrowserServer | null = executablePath
    ? await chromium.launchServer({
        executablePath,
        args: [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-quic',
          '--disable-background-networking',
          '--disable-component-update',
        ],
      })
    : null;
  project.provide('browserAddress', server?.wsEndpoint() ?? null);
  return async () => server?.close();
}
