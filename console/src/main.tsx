import { render } from 'preact';
import { App } from './app.tsx';
import { isSilentFrame, passAnswerOn, sessionState, startAuth } from './client/auth.ts';
import { loadConfig } from './client/config.ts';
import { adoptPlainPath } from './client/router.ts';
import { startOffline } from './offline/start.ts';
import { startTheme } from './theme.ts';
import './styles.css';

async function start(): Promise<void> {
  if (isSilentFrame()) return passAnswerOn();
  startTheme();
  adoptPlainPath();
  const root = document.getElementById('app');
  if (root) render(<App />, root);
  try {
    await startAuth(await loadConfig());
  } catch (error) {
    sessionState.set({ status: 'signed-out', reason: error instanceof Error ? error.message : String(error) });
  }
  await startOffline();
}

void start();
