import type { JSX } from 'preact';
import { useNow } from '../../format.ts';
import { type Answerable, responseOf } from './response-words.ts';

/** The circumference of the ring is 100, so that a part is a percentage. */
const radius = 15.915;

/** A ring of the remaining response time. */
export function Ring({ left }: { left: number }): JSX.Element {
  return (
    <svg class="ring" viewBox="0 0 40 40" aria-hidden="true">
      <circle class="ring-whole" cx="20" cy="20" r={radius} />
      <circle class="ring-left" cx="20" cy="20" r={radius} pathLength={100} stroke-dasharray={`${left * 100} 100`} />
    </svg>
  );
}

/** A ring of the remaining response time, with a text: who acknowledged, or how much time is left. */
export function ResponseRing({ of }: { of: Answerable }): JSX.Element | null {
  const response = responseOf(of, useNow());
  if (!response) return null;
  const { tone, left, text } = response;
  return (
    <span class={`response response-${tone}`}>
      {left === null ? null : <Ring left={left} />}
      <bdi class="response-text">{text}</bdi>
      {left ? <span class="unseen"> to acknowledge</span> : null}
    </span>
  );
}
