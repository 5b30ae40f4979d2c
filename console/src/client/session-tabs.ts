import { User } from 'oidc-client-ts';

/**
 * What the tabs of a browser tell each other about their session: one asks for a token that is not `but`, others give theirs, or all sign out. A refresh
 * token can be used only once, so it stays in its tab.
 */
type Word = { kind: 'ask'; but: string | null } | { kind: 'give'; user: string } | { kind: 'out' };

const channel = globalThis.BroadcastChannel ? new BroadcastChannel('watchpost.session') : null;
/** How long a tab waits for the others: for what they have, and for one that first renews its own, milliseconds. */
const patience = { had: 400, renewed: 8000 } as const;

type Tab = {
  /** The session of this tab, whose token is another than `but`; renewed before if it can be. */
  give: (but: string | null) => Promise<User | null>;
  out: () => void;
};

/** Answers other tabs. */
export function answerTabs({ give, out }: Tab): void {
  channel?.addEventListener('message', ({ data }: MessageEvent<Word>) => {
    if (data.kind === 'out') out();
    if (data.kind === 'ask') void give(data.but).then((user) => user && tell(user));
  });
}

function tell(user: User): void {
  const { refresh_token: _, ...rest } = JSON.parse(user.toStorageString());
  channel?.postMessage({ kind: 'give', user: JSON.stringify(rest) } satisfies Word);
}

export function tellOut(): void {
  channel?.postMessage({ kind: 'out' } satisfies Word);
}

/** The session of another tab. Null: no tab has one. @param but a token that was refused @param subject whose session it must be; null: anybody's */
export function askTabs(but: string | null, subject: string | null): Promise<User | null> {
  if (!channel) return Promise.resolve(null);
  return new Promise((resolve) => {
    const end = (user: User | null) => {
      clearTimeout(timer);
      channel.removeEventListener('message', listen);
      resolve(user);
    };
    const listen = ({ data }: MessageEvent<Word>) => {
      if (data.kind !== 'give') return;
      const user = User.fromStorageString(data.user);
      const isTheirs = subject === null || user.profile.sub === subject;
      if (isTheirs && !user.expired && user.access_token !== but) end(user);
    };
    const timer = setTimeout(() => end(null), but === null ? patience.had : patience.renewed);
    channel.addEventListener('message', listen);
    channel.postMessage({ kind: 'ask', but } satisfies Word);
  });
}
