import { html, nothing } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Row, Tone } from '../../src/console/wire.ts';
import { fragmentOf } from '../model/route.ts';
import { listed, resourcesOf } from '../model/listed.ts';
import type { Scene } from '../state.ts';
import type { Drawn } from './parts.ts';
import { pausedWords, sign } from './parts.ts';

function below({ ready, replicas, paused }: Row): string {
  const members = replicas === undefined ? '' : `${ready ?? 0}/${replicas}`;
  return [paused === undefined ? '' : pausedWords[paused], members].filter((part) => part !== '').join(', ');
}

function line(row: Row, isCurrent: boolean, isStop: boolean): Drawn {
  const { key, kind, namespace, name, tone, phase, step, done } = row;
  return html`<li>
    <a href=${fragmentOf({ key, tab: 'now' })} aria-current=${isCurrent ? 'page' : nothing} tabindex=${isStop ? 0 : -1}>
      ${sign(tone)}
      <span class="name">${name}<small>${kind} in ${namespace}</small></span>
      <span class="state">${step ?? phase}<small>${below(row)}</small></span>
      ${
        done === undefined
          ? nothing
          : html`<svg class="thin ${tone}" aria-hidden="true">
              <rect width="100%" height="3" class="track"></rect>
              <rect width="${done * 100}%" height="3"></rect>
            </svg>`
      }
    </a>
  </li>`;
}

/** The arrow keys go from line to line: the list is one stop of the Tab key. */
function arrows(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const list = event.currentTarget as HTMLElement; // What listens.
  if (step === undefined) return;
  const all = [...list.querySelectorAll<HTMLElement>('a')];
  const at = all.findIndex((each) => each === document.activeElement);
  const next = all[at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

const filters: readonly (readonly [tone: Tone, text: string])[] = [
  ['bad', 'failed'],
  ['waits', 'waiting'],
  ['busy', 'at work'],
  ['good', 'ready'],
];

function filterButtons({ state: { rows, only }, actions }: Scene): Drawn {
  const count = (tone: Tone): number => [...rows.values()].filter((row) => row.tone === tone).length;
  return html`<div class="filters" role="group" aria-label="Show only">
    ${filters.map(([tone, text]) => {
      const isOn = only === tone;
      return html`<button
        type="button"
        class="filter ${tone}"
        aria-pressed=${isOn}
        @click=${() => actions.showOnly(isOn ? undefined : tone)}
      >
        ${count(tone)} ${text}
      </button>`;
    })}
  </div>`;
}

/** The list of all resources. */
export function list(scene: Scene): Drawn {
  const { state, actions } = scene;
  const shown = listed([...state.rows.values()], state);
  const stop = shown.find(({ key }) => key === state.route.key) ?? shown[0];
  const typed = (event: InputEvent): void => actions.search((event.target as HTMLInputElement).value); // What was typed into.
  return html`<nav class="list" aria-label="Resources">
    <input
      type="search"
      placeholder="Search ${resourcesOf(state.rows.size)}"
      aria-label="Search resources"
      .value=${state.search}
      @input=${typed}
    />
    ${filterButtons(scene)}
    <ul @keydown=${arrows}>
      ${repeat(
        shown.slice(0, state.lines),
        ({ key }) => key,
        (row) => {
          const [isCurrent, isStop] = [row.key === state.route.key, row === stop];
          // A line that is as it was is not drawn again: hundreds are.
          return guard([row, isCurrent, isStop], () => line(row, isCurrent, isStop));
        },
      )}
    </ul>
    ${shown.length === 0 && state.link === 'live' ? html`<p class="dim">${state.rows.size === 0 ? 'There are no resources of Ordinal here.' : 'None is so.'}</p>` : nothing}
  </nav>`;
}
