import { html, nothing } from 'lit-html';
import type { Detail, PlanAnswer } from '../../src/console/wire.ts';
import { shortDuration } from '../../src/terminal/duration.ts';
import { statusLines } from '../model/status-lines.ts';
import type { Scene } from '../state.ts';
import type { Drawn } from './parts.ts';
import { card, commandLine, failed, waiting } from './parts.ts';

const words = { action: 'does', status: 'writes the status', event: 'says', failure: 'fails' } as const;

type Step = PlanAnswer['steps'][number];

const step = ({ kind, what, because }: Step, index: number): Drawn =>
  html`<li class=${kind}>
    <span class="number" aria-hidden="true">${index + 1}</span>
    <div>
      <p class="kind">${words[kind]}</p>
      ${(kind === 'status' ? statusLines(what) : [what]).map((line) => html`<p class="what">${line}</p>`)}
      ${because === undefined ? nothing : html`<p class="dim">because ${because}</p>`}
    </div>
  </li>`;

function end({ endsBefore, looksAgainAfterMs }: PlanAnswer): string {
  if (endsBefore !== undefined) return `What follows depends on ${endsBefore}.`;
  if (looksAgainAfterMs === undefined) return 'Then it looks again when something changes.';
  return `Then it looks again in ${shortDuration(looksAgainAfterMs)}, or when something changes.`;
}

const drawn = (plan: PlanAnswer): Drawn =>
  html`${
      plan.steps.length === 0
        ? html`<p class="calm">Nothing is to be done.</p>`
        : html`<ol class="steps">
            ${plan.steps.map(step)}
          </ol>`
    }
    ${plan.supposing.map((what) => html`<p class="dim">Supposing that ${what}.</p>`)}
    <p class="end">${end(plan)}</p>`;

/** What the operator would do next. */
export function planTab({ state, actions }: Scene, { view }: Detail): Drawn {
  const { plan } = state;
  const again = html`<button type="button" ?disabled=${plan.is === 'under way'} @click=${actions.askPlan}>
    Look again
  </button>`;
  const { kind, name, namespace } = view;
  return html`${card(
    'What the operator would do next',
    html`<p class="dim">Decided here by the operator’s own code, from what you may read. Nothing is written.</p>
      ${plan.is === 'failed' ? failed(plan.error) : nothing}
      ${plan.is === 'under way' ? waiting('asking the members, and deciding') : nothing}
      ${plan.is === 'answered' ? drawn(plan.answer) : nothing}`,
    again,
  )}
  ${commandLine(`kubectl ordinal plan ${kind.toLowerCase()}/${name} -n ${namespace}`, actions, state)}`;
}
