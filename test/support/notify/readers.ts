import { expect } from 'vitest';
import type { MessageForm } from '../../../shared/domain/delivery/delivery.ts';

const styles = /(?<![\p{L}\p{N}])[*_~`]|[*_~`](?![\p{L}\p{N}])/u;

/** Checks that no product turns a text into a link or a mention. */
export function isInert(text: string): void {
  expect(text).not.toMatch(/(?<!hxxps?):\/\/|\w\.example|www\.|@|[\u200b\u202e]/i);
}

/** The links of a chat that writes them as `<address|words>`, and the text without them. */
function readLinks(text: string): { found: string[]; rest: string } {
  const found: string[] = [];
  const rest = text.replaceAll(/<(https:[^|>]*)\|([^>]*)>/g, (_, url: string, words: string) => {
    found.push(url);
    return words;
  });
  return { found, rest };
}

/** Reads a message as its product displays it: everything is text except our own links, which are returned. */
export const readers: Record<MessageForm, (body: string) => string[]> = {
  email(body) {
    const { subject, text, html } = JSON.parse(body);
    isInert(subject);
    isInert(text.replaceAll(/: https:\/\/console\.example\.com\/\S*$/gm, ''));
    const tags = [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
    const allowed =
      /^<(!doctype html|html lang="en"|\/?(body|h1|p|ul|li|a|html)( style="[^"<>]*")?|a href="https:\/\/console\.example\.com\/[^"<>]*"( style="[^"<>]*")?)>$/;
    expect(tags.filter((tag) => !allowed.test(tag))).toEqual([]);
    const shown = html.replaceAll(/<[^>]*>/g, '');
    expect(shown).not.toMatch(/[<>"']/);
    isInert(shown);
    return tags.flatMap((tag) => /href="([^"]*)"/.exec(tag)?.[1]?.replaceAll('&amp;', '&') ?? []);
  },
  slack(body) {
    const { text, attachments } = JSON.parse(body);
    const { found, rest } = readLinks(attachments[0].text);
    for (const each of [text, rest]) {
      isInert(each);
      expect(each).not.toMatch(/[<>]/);
      expect(each).not.toMatch(styles);
    }
    return found;
  },
  'google-chat'(body) {
    const { found, rest } = readLinks(JSON.parse(body).text);
    isInert(rest);
    const [title = '', ...lines] = rest.split('\n');
    expect(title).toMatch(/^\*.*\*$/);
    for (const each of [title.slice(1, -1), ...lines])
      expect(each).not.toMatch(new RegExp(`[<>]|${styles.source}`, 'u'));
    return found;
  },
  teams(body) {
    const { content } = JSON.parse(body).attachments[0];
    const runs = content.body.flatMap((block: { type: string; inlines: { type: string; text: string }[] }) => {
      // A `TextBlock` would interpret Markdown.
      expect(block.type).toBe('RichTextBlock');
      return block.inlines;
    });
    expect(content).not.toHaveProperty('msteams');
    for (const { text } of [...runs, ...content.actions.map(({ title }: { title: string }) => ({ text: title }))]) {
      isInert(text);
      expect(text).not.toMatch(/\{\{|\$\{/);
    }
    return content.actions.map(({ url }: { url: string }) => url);
  },
  sms(body) {
    expect(body.length).toBeLessThanOrEqual(160);
    const link = / (\S+)$/.exec(body)?.[1] ?? '';
    isInert(body.slice(0, -link.length));
    return [`https://${link}`];
  },
};
