import { html, nothing } from 'lit-html';
import type { TemplateResult } from 'lit-html';
import type { Paused, Tone } from '../../src/console/wire.ts';
import type { Actions, State } from '../state.ts';

/** What a view draws. */
export type Drawn = TemplateResult | typeof nothing | string;

/** Drawn, since not every font has them. */
const signs: Readonly<Record<Tone, string>> = {
  good: 'M3.5 8.5l3 3 6-7',
  busy: 'M12.5 5.5A5 5 0 1 0 13 8.5M13 2.5v3.2H9.8',
  waits: 'M6 4v8M10 4v8',
  bad: 'M8 3.2v6M8 12.4v.2',
};
/** Each tone in a word, for those who see no colors. */
const toneWords: Readonly<Record<Tone, string>> = {
  ...{ good: 'ready', busy: 'at work', waits: 'waiting', bad: 'failed' },
};

/** The sign of a tone. */
export const sign = (tone: Tone): Drawn =>
  html`<span class="sign ${tone}" aria-hidden="true"
      ><svg viewBox="0 0 16 16" width="14" height="14"><path d=${signs[tone]}></path></svg></span
    ><span class="unseen">${toneWords[tone]}</span>`;

/** What of the work on a resource is paused, in words. */
export const pausedWords: Readonly<Record<Paused, string>> = { all: 'paused', upgrades: 'upgrades paused' };

/** A short text on a colored ground. */
export const pill = (tone: Tone | 'plain', text: string): Drawn => html`<span class="pill ${tone}">${text}</span>`;

/** A command, with a button that copies it. */
export const commandLine = (command: string, { copy }: Actions, { copied }: Pick<State, 'copied'>): Drawn =>
  html`<div class="command">
    <code tabindex="0">${command}</code
    ><button type="button" class="quiet" @click=${() => copy(command)} aria-label=${`Copy: ${command}`}>
      ${copied === command ? 'Copied' : 'Copy'}
    </button>
  </div>`;

/** A part of the page with a title. */
export const card = (title: string, content: unknown, beside: unknown = nothing): Drawn =>
  html`<section class="card" aria-label=${title}>
    <header>
      <h2>${title}</h2>
      ${beside}
    </header>
    ${content}
  </section>`;

/** What is shown while something is asked, or where it was refused. */
export const waiting = (text: string): Drawn =>
  html`<p class="waiting"><span class="spinner" aria-hidden="true"></span>${text}</p>`;

/** What went wrong. */
export const failed = (error: string): Drawn => html`<p class="failed" role="alert">${error}</p>`;
