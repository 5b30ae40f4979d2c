import type { Verdict } from '../receiver/verify.ts';
import type { Received } from './messages.ts';

/**
 * A page that shows the messages, newest first, and reloads them every two seconds. Mail bodies are shown in frames that run no scripts.
 */
export function inboxPage(messages: readonly Received[]): string {
  const items = messages.map(item).join('\n') || '<p class="none">Nothing has been sent yet.</p>';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Watchpost inbox</title><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="2">
<style>
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#0f172a;background:#f8fafc}
article{background:#fff;border:1px solid #e2e8f0;border-radius:6px;margin:1rem 0;padding:.75rem 1rem}
header{display:flex;flex-wrap:wrap;gap:0 1rem;align-items:baseline;color:#475569;font-size:13px}
b{color:#fff;border-radius:4px;padding:0 .5rem;background:#2563eb}b.chat{background:#7c3aed}b.sms{background:#0f766e}b.webhook{background:#334155}.wrong{color:#b91c1c;font-weight:600}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0 0}iframe{width:100%;height:14rem;border:0}
</style></head><body><h1>Inbox</h1><p>${messages.length} messages. As JSON: <a href="/messages">/messages</a></p>
${items}
</body></html>`;
}

function item(message: Received): string {
  const at = `<time>${escapeHtml(message.at)}</time>`;
  switch (message.kind) {
    case 'email':
      return `<article><header><b>email</b>${at}<span>to ${escapeHtml(message.to.join(', '))}</span></header>
<h2>${escapeHtml(message.subject)}</h2><iframe sandbox="allow-popups" title="mail" srcdoc="${escapeHtml(message.html)}"></iframe>
<details><summary>Text</summary><pre>${escapeHtml(message.text)}</pre></details></article>`;
    case 'chat':
      return `<article><header><b class="chat">${escapeHtml(message.product)}</b>${at}<span>room ${escapeHtml(message.room)}</span></header>
<pre>${escapeHtml(JSON.stringify(message.body, null, 2))}</pre></article>`;
    case 'sms':
      return `<article><header><b class="sms">sms</b>${at}<span>to ${escapeHtml(message.to)}, ${message.text.length} characters</span></header>
<pre>${escapeHtml(message.text)}</pre></article>`;
    case 'webhook':
      return `<article><header><b class="webhook">webhook</b>${at}<span>${escapeHtml(message.method)} /${escapeHtml(message.hook)}, answered ${message.answered ?? 'nothing'}</span>${signatureWords(message.verified)}</header>
<pre>${escapeHtml(indented(message.body))}</pre></article>`;
    default:
      return message satisfies never;
  }
}

function signatureWords(verified: Verdict | null): string {
  if (verified === null) return '<span>signature not looked at</span>';
  if (verified.contract && verified.standard) return '<span>both signatures right</span>';
  return '<span class="wrong">a signature is wrong</span>';
}

/** Indented JSON. A text that is not JSON is unchanged. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
