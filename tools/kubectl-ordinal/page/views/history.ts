import { html, nothing } from 'lit-html';
import type { EntryShown, HistoryShown, PartyShown } from '../../src/console/wire.ts';
import type { Scene } from '../state.ts';
import type { Drawn } from './parts.ts';
import { card, failed, pill } from './parts.ts';

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(3)} s`;

const entry = ({ index, afterMs, actor, action, subject, outcome, isWrong }: EntryShown, step: number): Drawn => {
  const classes = [
    index < step ? 'past' : 'future',
    index === step - 1 ? 'current' : '',
    actor === 'fault' ? 'fault' : '',
  ];
  return html`<li class=${classes.join(' ')} aria-current=${index === step - 1 ? 'step' : nothing}>
    <time>${seconds(afterMs)}</time>
    <div>
      <b>${actor}</b> ${action}
      ${subject}${outcome === undefined ? nothing : html` <span class="dim">${outcome}</span>`}
      ${isWrong ? html` ${pill('bad', 'found here')}` : nothing}
    </div>
  </li>`;
};

/** The next of these steps, or the one before. */
function jump(to: readonly number[], step: number, isForward: boolean): number | undefined {
  return isForward ? to.find((each) => each > step) : to.findLast((each) => each < step);
}

function buttons({ steps, struck, violations }: HistoryShown, { state: { step }, actions }: Scene): Drawn {
  const button = (text: string, to: number | undefined): Drawn =>
    html`<button
      type="button"
      ?disabled=${to === undefined || to === step || to < 0 || to > steps}
      @click=${() => actions.goTo(to ?? step)}
    >
      ${text}
    </button>`;
  const wrong = violations.map(({ step: at }) => at);
  return html`<div class="row">
    ${button('First', 0)} ${button('Back', step - 1)} ${button('Forward', step + 1)} ${button('Last', steps)}
    <span class="grow"></span>
    ${button('Fault before', jump(struck, step, false))} ${button('Next fault', jump(struck, step, true))}
    ${wrong.length === 0 ? nothing : button('What was wrong', wrong[0])}
  </div>`;
}

/** A recorded history: the step that is chosen, and what happened around it. */
export function history(scene: Scene): Drawn {
  const { state, actions } = scene;
  const shown = state.hello?.history;
  if (!shown) return nothing;
  const { scenario, seed, faults, violations, steps } = shown;
  const moved = (event: Event): void => actions.goTo(Number((event.target as HTMLInputElement).value)); // What was moved.
  return card(
    scenario,
    html`<p class="dim">Seed ${seed}${faults.length === 0 ? ', without faults' : nothing}</p>
      ${faults.map((fault) => html`<p>Fault: ${fault}</p>`)}
      ${violations.map(({ oracle, message }) => html`<p class="failed"><b>${oracle}</b>: ${message}</p>`)}
      <label class="scrubber"
        >Step ${state.step} of ${steps}
        <input type="range" min="0" max=${steps} .value=${String(state.step)} @input=${moved} />
      </label>
      ${buttons(shown, scene)} ${state.stepError === undefined ? nothing : failed(state.stepError)}
      <ol class="entries trace" tabindex="0" aria-label="What happened, around this step">
        ${(state.moment?.entries ?? []).map((each) => entry(each, state.moment?.step ?? 0))}
      </ol>`,
  );
}

const tones = { current: 'good', behind: 'waits', 'not seen': 'waits', gone: 'bad' } as const;

const party = ({ name, isRunning, known }: PartyShown): Drawn =>
  html`<h3>${name}</h3>
    ${isRunning ? nothing : html`<p class="dim">does not run: it knows nothing</p>`}
    <ul class="plain">
      ${known.map(
        ({ what, is, behind }) =>
          html`<li>
            ${pill(tones[is], is === 'behind' ? `${behind} ${behind === 1 ? 'change' : 'changes'} behind` : is)} ${what}
          </li>`,
      )}
    </ul>`;

/** What each operator knew of a resource and what belongs to it. */
export const parties = ({ state: { moment } }: Scene): Drawn =>
  moment === undefined || moment.parties.length === 0
    ? nothing
    : card(
        'What each party knew',
        html`<p class="dim">By the events that it was sent since its start, when it has listed what was there.</p>
          ${moment.parties.map(party)}`,
      );
