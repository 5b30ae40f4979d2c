import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { sessionState } from '../../client/auth.ts';
import { useFleet, useWrong } from '../../client/fleet.ts';
import { href } from '../../client/router.ts';
import { leadsStream, useStream } from '../../client/stream.ts';
import { severities, severityNames } from '../../model.ts';
import { createStore, useStore } from '../../store.ts';
import { Dialog } from '../dialog.tsx';
import { Check, SelectField } from '../form.tsx';
import { Icon } from '../icons.tsx';
import { audioOfPage, keepVoice, mayBeHeard, soundsForAll, unmute } from './audio.ts';
import { announcementOf, callOf, tones, type VoiceSettings, voiceFrom } from './voice-words.ts';

/** Alerts within this time share one sentence, one sound and one notification, milliseconds. */
const gatherMs = 3000;
/** How often the sound is repeated while nobody has what is wrong, milliseconds. */
const repeatMs: Record<Alert['severity'], number> = {
  CRITICAL: 30_000,
  ERROR: 5 * 60_000,
  WARNING: 30 * 60_000,
  INFO: Number.POSITIVE_INFINITY,
};

const settings = createStore<VoiceSettings>(voiceFrom(null));

/** Each person has their own settings in each browser. */
function keyOf(): string {
  const state = sessionState.get();
  return `watchpost.voice.${state.status === 'signed-in' ? state.session.subject : ''}`;
}

/**
 * Announces new alerts to screen readers and, if the person wants it, by sound and notification, and repeats the sound until somebody has what is
 * wrong. The badge and the icon always show open critical alerts.
 */
export function Voice(): JSX.Element {
  const [said, setSaid] = useState('');
  const waiting = useRef<Alert[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => {
    settings.set(voiceFrom(localStorage.getItem(keyOf())));
    return () => clearTimeout(timer.current ?? undefined);
  }, []);
  const { hasSound } = useStore(settings);
  useEffect(() => (hasSound ? keepVoice() : undefined), [hasSound]);
  useStream((event) => {
    // Screen readers get every alert from WARNING up that needs a person. The settings apply to sound and
    // notifications.
    const alert = callOf(event, 'WARNING');
    if (!alert) return;
    waiting.current.push(alert);
    timer.current ??= setTimeout(() => {
      timer.current = null;
      const alerts = waiting.current.splice(0);
      setSaid(announcementOf(alerts));
      speak(alerts);
    }, gatherMs);
  });
  useRepetition();
  useBadge(useFleet().data?.alerts.open.CRITICAL ?? 0);
  return (
    <p class="unseen" role="status" aria-live="polite">
      {said}
    </p>
  );
}

/** Only one of several tabs makes the sound, one that can, and one shows the notification. */
function speak(all: readonly Alert[]): void {
  const { hasSound, hasNotifications, least } = settings.get();
  const alerts = all.filter(({ severity }) => severities.indexOf(severity) <= severities.indexOf(least));
  const worst = severities.find((severity) => alerts.some((alert) => alert.severity === severity));
  const [first] = alerts.filter(({ severity }) => severity === worst);
  if (!worst || !first) return;
  if (hasSound && soundsForAll()) sound(worst);
  if (!hasNotifications || !leadsStream() || !('Notification' in globalThis)) return;
  if (Notification.permission !== 'granted') return;
  const note = new Notification(announcementOf(alerts), { tag: 'watchpost-alerts', icon: '/icon.svg' });
  note.onclick = () => {
    focus();
    location.hash =
      alerts.length === 1 ? href(['alerts', first.alertId]) : href(['alerts'], { orderBy: 'urgency desc' });
    note.close();
  };
}

/** Sounds again, by severity, while nobody has the worst of what is wrong. */
function useRepetition(): void {
  const { hasSound, least } = useStore(settings);
  const causes = useWrong().data?.causes ?? [];
  const unanswered = causes.find(({ status }) => status !== 'acknowledged')?.severity;
  const isLoud = unanswered !== undefined && severities.indexOf(unanswered) <= severities.indexOf(least);
  const worst = hasSound && isLoud ? unanswered : null;
  useEffect(() => {
    if (worst === null || !Number.isFinite(repeatMs[worst])) return;
    const timer = setInterval(() => {
      if (soundsForAll()) sound(worst);
    }, repeatMs[worst]);
    return () => clearInterval(timer);
  }, [worst]);
}

const toneSeconds = 0.18;

function sound(severity: Alert['severity']): void {
  const context = audioOfPage();
  tones[severity].forEach((frequency, index) => {
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    const from = context.currentTime + index * toneSeconds * 1.4;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.2, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + toneSeconds);
    tone.connect(volume).connect(context.destination);
    tone.start(from);
    tone.stop(from + toneSeconds);
  });
}

/** Shows the number of open critical alerts on the installed app's icon, and a mark on the tab's icon. */
function useBadge(critical: number): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (link) link.href = critical > 0 ? '/icon-alert.svg' : '/icon.svg';
    const shown = critical > 0 ? navigator.setAppBadge?.(critical) : navigator.clearAppBadge?.();
    shown?.catch(() => {});
  }, [critical]);
}

/** Opens the signal settings, and says as a word whether a sound would be heard. */
export function VoiceSwitch(): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { hasSound } = useStore(settings);
  const canSound = useStore(mayBeHeard);
  const word = !hasSound ? 'Sound off' : canSound ? 'Sound on' : 'Sound is off until you click here';
  return (
    <>
      <button
        type="button"
        class={hasSound && !canSound ? 'plain voice mute' : 'plain voice'}
        aria-label={`Sound and notifications: ${word}`}
        title="Sound and notifications"
        onClick={() => (hasSound && !canSound ? void unmute() : setOpen(true))}
      >
        <Icon name="voice" />
        <span class="voice-word">{word}</span>
      </button>
      {isOpen ? <VoiceDialog onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function VoiceDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { hasSound, hasNotifications, least } = useStore(settings);
  const [isRefused, setRefused] = useState(false);
  const change = (changes: Partial<VoiceSettings>) => {
    settings.set({ ...settings.get(), ...changes });
    localStorage.setItem(keyOf(), JSON.stringify(settings.get()));
  };
  const allow = async (isWanted: boolean) => {
    const answer = isWanted ? await Notification.requestPermission() : 'denied';
    setRefused(isWanted && answer !== 'granted');
    change({ hasNotifications: answer === 'granted' });
  };
  return (
    <Dialog title="Sound and notifications" onClose={onClose} isPlain>
      <p class="hint">Kept in this browser, for you. Several alerts within three seconds are one sound.</p>
      <Check
        label="A sound for new alerts"
        checked={hasSound}
        onChange={(isWanted) => {
          change({ hasSound: isWanted });
          if (isWanted) sound(least);
        }}
      />
      <Check
        label="A notification of the desktop"
        checked={hasNotifications}
        onChange={(isWanted) => void allow(isWanted)}
      />
      {isRefused ? (
        <p class="notice problem">The browser does not allow notifications here; its settings say so.</p>
      ) : null}
      <SelectField
        label="From which severity on"
        value={least}
        options={severities.slice(0, 3).map((severity) => [severity, severityNames[severity]] as const)}
        onChange={(value) => change({ least: value as Alert['severity'] })}
      />
      <p class="buttons">
        {severities.slice(0, 3).map((severity) => (
          <button type="button" class="button small" key={severity} onClick={() => sound(severity)}>
            Hear {severityNames[severity].toLowerCase()}
          </button>
        ))}
      </p>
    </Dialog>
  );
}
