import { html, nothing } from 'lit-html';
import type { Row, Tone } from '../../src/console/wire.ts';
import { listed, resourcesOf } from '../model/listed.ts';
import { fragmentOf } from '../model/route.ts';
import type { Scene } from '../state.ts';
import type { Drawn } from './parts.ts';
import { card, pausedWords, sign, waiting } from './parts.ts';

const tiles: readonly (readonly [tone: Tone, title: string, says: string])[] = [
  ['bad', 'Failed', 'need you'],
  ['waits', 'Waiting', 'for a gate, a pod or a person'],
  ['busy', 'At work', 'upgrades and deletions under way'],
  ['good', 'Ready', 'as their specs ask'],
];

function tile([tone, title, says]: (typeof tiles)[number], rows: readonly Row[], { state, actions }: Scene): Drawn {
  const count = rows.filter((row) => row.tone === tone).length;
  const isOn = state.only === tone;
  return html`<button
    type="button"
    class="tile ${tone} ${count === 0 ? 'none' : ''}"
    aria-pressed=${isOn}
    @click=${() => actions.showOnly(isOn ? undefined : tone)}
  >
    <strong>${count}</strong><span>${title}</span><small>${says}</small>
  </button>`;
}

/** Of hundreds that fail for one reason, the first say it; fewer while the lines in view are drawn. */
const attentionShown = 50;
const attentionFirst = 12;

const attention = (row: Row): Drawn =>
  html`<li>
    ${sign(row.tone)}
    <div>
      <a href=${fragmentOf({ key: row.key, tab: 'now' })}>${row.namespace}/${row.name}</a>
      <span class="dim"
        >${row.kind}${row.step === undefined ? '' : `, ${row.step}`}${row.paused === undefined ? '' : `, ${pausedWords[row.paused]}`}</span
      >
      <p>${row.says ?? row.phase}</p>
    </div>
  </li>`;

/** All resources together: how many do how, and those that need a person. */
export function overview(scene: Scene): Drawn {
  const { link, rows: known, unread, lines } = scene.state;
  const rows = [...known.values()];
  const waits = listed(rows, { search: '' })
    .filter(({ tone }) => tone === 'bad' || tone === 'waits')
    .slice(0, lines < known.size ? attentionFirst : attentionShown);
  return html`<h1 tabindex="-1">${link === 'connecting' ? 'Connecting' : resourcesOf(rows.length)}</h1>
    ${link === 'connecting' ? waiting('reading the cluster') : nothing}
    <div class="tiles">${tiles.map((each) => tile(each, rows, scene))}</div>
    ${
      waits.length === 0
        ? rows.length === 0
          ? nothing
          : card('What needs you', html`<p class="calm">Nothing: each resource is ready, or gets on.</p>`)
        : card(
            'What needs you',
            html`<ul class="attention">
              ${waits.map(attention)}
            </ul>`,
          )
    }
    ${
      unread.length === 0
        ? nothing
        : card(
            'Not read',
            html`<ul>
              ${unread.map((line) => html`<li>${line}</li>`)}
            </ul>`,
          )
    }`;
}
