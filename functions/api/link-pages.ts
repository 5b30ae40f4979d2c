import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { Limits } from '../../shared/adapters/http/limits.ts';
import { type LinkPage, readLink, useLink } from '../../shared/app/links/links.ts';
import type { World } from '../../shared/app/ports.ts';
import { AppError } from '../../shared/errors.ts';
import { readOnly } from './answer.ts';

type LinkCall = { token: string; address: string | null; requestId: string };

/**
 * The page of a link in a message, for everybody who has the link: no sign-in, no script, one button. Only its POST changes something, because link
 * previews send a GET.
 */
export function createLinkPages(world: World, { limits, isReadOnly }: { limits: Limits; isReadOnly: boolean }) {
  const answer = async ({ token, address, requestId }: LinkCall, page: () => Promise<Response>): Promise<Response> => {
    try {
      limits.takeLink(address ?? '', token);
      return await page().catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'not-found') limits.takeGuess(address ?? '');
        throw error;
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error;
      const { code, message, status, headers } = error;
      if (status >= 500)
        world.log.error('link.failed', { requestId, error: String(error), cause: String(error.cause) });
      return htmlAnswer(documentOf(message, [code]), status, headers);
    }
  };
  return {
    show: (asked: LinkCall) => answer(asked, async () => htmlAnswer(pageOf(await readLink(world, asked.token)), 200)),
    use: (asked: LinkCall) =>
      answer(asked, async () => {
        if (isReadOnly) throw readOnly();
        return htmlAnswer(pageOf(await useLink(world, asked.token, asked)), 200);
      }),
  };
}

/** A path without the tokens of links: whoever reads a token in a log could use the link. */
export function loggedPath({ req }: Context): string {
  return req.path.startsWith('/t/') ? '/t/…' : req.path;
}

/** The page looks like the console, in the light or dark that the phone prefers; its button is easy to hit. */
const style =
  ':root{color-scheme:light dark}body{margin:0;background:light-dark(#f3f5f8,#0a0f16);color:light-dark(#10192b,#e4eaf2);font:16px/1.5 system-ui,sans-serif}' +
  'main{max-width:36rem;margin:0 auto;padding:24px 16px;overflow-wrap:anywhere}h1{font-size:1.25rem}' +
  'button{width:100%;min-height:48px;margin:16px 0;border:0;border-radius:8px;background:light-dark(#1d4ed8,#2f6bee);color:#fff;font:600 1rem system-ui,sans-serif}' +
  'a{display:inline-block;min-height:44px;line-height:44px;color:light-dark(#1d4ed8,#8ab4ff)}';
const styleHash = `sha256-${createHash('sha256').update(style).digest('base64')}`;

function htmlAnswer(body: string, status: number, headers: Record<string, string> = {}): Response {
  return new Response(body, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
      'Strict-Transport-Security': 'max-age=31536000',
      'Content-Security-Policy': `default-src 'none'; style-src '${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
      ...headers,
    },
  });
}

function pageOf({ content: { severity, title, lines, links }, mayAcknowledge }: LinkPage): string {
  const button = mayAcknowledge ? '<form method="post"><button type="submit">I have it</button></form>' : '';
  const more = links
    .map(({ text, url }) => `<p><a href="${escaped(url)}">${escaped(text)} in the console</a></p>`)
    .join('');
  return documentOf(`${severity ?? ''} ${title}`.trim(), lines, button + more);
}

function documentOf(title: string, lines: readonly string[], rest = ''): string {
  const paragraphs = lines.map((line) => `<p>${escaped(line)}</p>`).join('');
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${escaped(title)}</title><style>${style}</style></head><body><main><h1>${escaped(title)}</h1>${paragraphs}${rest}</main></body></html>`
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
