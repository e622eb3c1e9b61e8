import { html, nothing, svg } from 'lit-html';
import type { Detail, Happening, WhatIfAnswer } from '../../src/console/wire.ts';
import { shortDuration } from '../../src/terminal/duration.ts';
import type { Bar, Chart, Track } from '../model/chart.ts';
import { chartOf } from '../model/chart.ts';
import type { Scene } from '../state.ts';
import type { Drawn } from './parts.ts';
import { card, failed, waiting } from './parts.ts';

const rounded = (ms: number): string => shortDuration(Math.round(ms / 1_000) * 1_000);

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`;

const bar = ({ from, to, tone, label }: Bar) =>
  svg`<g class=${tone}><title>${label}</title><rect x=${percent(from)} y="3" width=${percent(to - from)} height="20" rx="4"></rect>
    ${to - from > 0.018 * label.length ? svg`<text x=${percent((from + to) / 2)} y="17.5" text-anchor="middle">${label}</text>` : nothing}</g>`;

const track = ({ name, bars }: Track): Drawn =>
  html`<div class="track-name">${name}</div>
    <svg class="track-bars" height="26">${bars.map(bar)}</svg>`;

/** For those who see it; the list below says the same. */
const chart = ({ tracks, ticks }: Chart): Drawn =>
  html`<div class="chart" aria-hidden="true">
    ${tracks.map(track)}
    <div></div>
    <svg class="axis" height="22">
      ${ticks.map(({ at, ms }) => svg`<text x=${percent(at)} y="15" text-anchor=${at === 0 ? 'start' : 'middle'}>${ms === 0 ? '0' : shortDuration(ms)}</text>`)}
    </svg>
  </div>`;

const entry = ({ atMs, about, what, tookMs, command }: Happening): Drawn =>
  html`<li>
    <time>${rounded(atMs)}</time>
    <div>
      <b>${about}</b> ${what}${tookMs === undefined ? nothing : `, ${rounded(tookMs)} after it was made`}
      ${command === undefined ? nothing : html`<p class="dim">what helps: <code>${command}</code></p>`}
    </div>
  </li>`;

const endings = {
  done: ['good', 'It would be done after'],
  failed: ['bad', 'It would fail after'],
  stopped: ['waits', 'It would stop after'],
  unfinished: ['bad', 'It would not come to its end within a week; the last thing would happen after'],
} as const;

function outage({ longestOutage, outages }: WhatIfAnswer): string {
  const gone = outages.filter(({ toMs }) => toMs === undefined).map(({ member }) => member);
  const stays = gone.length === 0 ? '' : ` ${gone.join(', ')} would not come back.`;
  if (longestOutage === undefined) return gone.length === 0 ? 'No member would go down.' : stays.trim();
  return `The longest time with a member down would be ${rounded(longestOutage.forMs)} (${longestOutage.member}).${stays}`;
}

function faultsCard({ faults }: WhatIfAnswer): Drawn {
  if (!faults) return nothing;
  const { played, possible, keep, done, worst, longest } = faults;
  const figure = (count: number, text: string, isGood: boolean): Drawn =>
    html`<li class=${isGood ? 'good' : 'bad'}><strong>${count}</strong> ${text}</li>`;
  return card(
    'The same under faults',
    html`<ul class="figures">
        ${figure(played, `histories, each with one of ${possible} faults`, true)}
        ${figure(keep, 'keep the invariants', keep === played)} ${figure(done, 'come to their end', done === played)}
      </ul>
      <p>The longest takes ${rounded(longest.tookMs)}: ${longest.what}.</p>
      <p>
        The worst: ${worst.what}. A member is down for ${rounded(worst.downMs)} in it, and it takes
        ${rounded(worst.tookMs)}.
      </p>
      ${worst.broken.map((line) => failed(`It breaks an invariant: ${line}`))}
      ${chart(chartOf(worst.timeline, worst.tookMs))}
      <details>
        <summary>The worst, step by step</summary>
        <ol class="entries">
          ${worst.timeline.map(entry)}
        </ol>
      </details>`,
  );
}

function answered(prediction: WhatIfAnswer): Drawn {
  const { ending, tookMs, timeline, waits, assumed } = prediction;
  const [tone, says] = endings[ending];
  return html`${card(
    'What would happen',
    html`<p class="verdict ${tone}" role="status"><b>${says} ${rounded(tookMs)}.</b> ${outage(prediction)}</p>
      ${waits.map((line) => html`<p>${line}</p>`)}
      ${timeline.length === 0 ? html`<p class="calm">Nothing would happen.</p>` : chart(chartOf(timeline, tookMs))}
      <details open>
        <summary>Step by step</summary>
        <ol class="entries">
          ${timeline.map(entry)}
        </ol>
      </details>
      <details>
        <summary>What this rests on</summary>
        <ul>
          ${assumed.map((line) => html`<li>${line}</li>`)}
        </ul>
      </details>`,
  )}${faultsCard(prediction)}`;
}

const faultChoices = [0, 20, 100] as const;

function editor({ state, actions }: Scene): Drawn {
  const { manifest, whatIf, faults } = state;
  if (manifest.is === 'failed') return failed(manifest.error);
  if (manifest.is !== 'answered') return waiting('reading the manifest');
  const changed = (event: InputEvent): void => actions.changeManifest((event.target as HTMLTextAreaElement).value); // What was typed into.
  const chosen = (event: Event): void => actions.chooseFaults(Number((event.target as HTMLSelectElement).value)); // What was chosen.
  const isBusy = whatIf.is === 'under way';
  return html`<label for="manifest">The manifest as it would be applied: change it, and play</label>
    <textarea id="manifest" spellcheck="false" rows="14" .value=${manifest.answer} @input=${changed}></textarea>
    <div class="row">
      <button type="button" class="primary" ?disabled=${isBusy} @click=${actions.askWhatIf}>
        ${isBusy ? 'Playing…' : 'Play it'}
      </button>
      <label
        >with
        <select @change=${chosen}>
          ${faultChoices.map((count) => html`<option value=${count} ?selected=${count === faults}>${count === 0 ? 'no faults' : `${count} histories with faults`}</option>`)}
        </select></label
      >
      <span class="grow"></span>
      <button type="button" class="quiet" @click=${actions.resetManifest}>As it is now</button>
    </div>`;
}

/** What would become of a change. */
export function whatIfTab(scene: Scene, _: Detail): Drawn {
  const { whatIf } = scene.state;
  return html`${card(
    'A change to try',
    html`<p class="dim">
        It is played to its end in a simulated cluster that begins as this namespace is. Nothing is written.
      </p>
      ${editor(scene)}`,
  )}
  ${whatIf.is === 'under way' ? waiting('playing it in virtual time') : nothing}
  ${whatIf.is === 'failed' ? failed(whatIf.error) : nothing}
  ${whatIf.is === 'answered' ? answered(whatIf.answer) : nothing}`;
}
