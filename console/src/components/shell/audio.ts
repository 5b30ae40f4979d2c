import { createStore } from '../../store.ts';

let audio: AudioContext | null = null;
let isChosen = false;

/** Whether a sound of this tab would be heard. A browser mutes a page until somebody has clicked or typed in it. */
export const mayBeHeard = createStore(false);

/** The sound of this tab, made when it is first needed. */
export function audioOfPage(): AudioContext {
  if (audio) return audio;
  const made = new AudioContext();
  audio = made;
  const look = () => mayBeHeard.set(made.state === 'running');
  made.addEventListener('statechange', look);
  look();
  return made;
}

export async function unmute(): Promise<void> {
  await audioOfPage().resume();
}

/** Whether this tab makes the sounds for all tabs of the browser. */
export function soundsForAll(): boolean {
  return isChosen && mayBeHeard.get();
}

/**
 * Gets this tab ready to sound: it is heard from the first click or key on, and of the tabs that can be heard one is chosen.
 * @returns what ends it
 */
export function keepVoice(): () => void {
  const control = new AbortController();
  const { signal } = control;
  audioOfPage();
  const wake = () => void unmute();
  for (const event of ['pointerdown', 'keydown']) addEventListener(event, wake, { signal });
  const choose = () => {
    if (!mayBeHeard.get() || isChosen) return;
    if (!navigator.locks) {
      isChosen = true;
      return;
    }
    const held = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    navigator.locks
      .request('watchpost.sound', { signal }, () => {
        isChosen = true;
        return held;
      })
      .catch(() => {});
  };
  const unwatch = mayBeHeard.watch(choose);
  choose();
  return () => {
    unwatch();
    control.abort();
    isChosen = false;
  };
}
