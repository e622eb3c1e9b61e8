import { html, nothing } from 'lit-html';
import type { Action, ConditionShown, Detail, EventView } from '../../src/console/wire.ts';
import { ago } from '../model/clock.ts';
import type { Scene } from '../state.ts';
import type { Drawn } from './parts.ts';
import { card, commandLine } from './parts.ts';
import { picture } from './picture.ts';

function whyCard({ why }: Detail, { state, actions, now }: Scene): Drawn {
  const since = why.since === undefined ? nothing : html` <span class="dim">for ${ago(why.since, now)}</span>`;
  const helps = [...new Set([...why.commands, ...why.hindrances.flatMap(({ command }) => command ?? [])])];
  return html`<section class="card why ${why.waits ? 'waits' : 'good'}" aria-label="Why">
    <h2>${why.waits ? 'What it waits for' : 'Nothing is waited for'}</h2>
    <p>It ${why.says}.${since}</p>
    ${why.hindrances.map(
      ({ about, says, since: from }) =>
        html`<p class="hindrance">
          <b>${about}</b>
          ${says}.${from === undefined ? nothing : html` <span class="dim">for ${ago(from, now)}</span>`}
        </p>`,
    )}
    ${
      helps.length === 0
        ? nothing
        : html`<h3>What helps</h3>
            ${helps.map((command) => commandLine(command, actions, state))}`
    }
    ${why.unread.length === 0 ? nothing : html`<p class="dim">Not read: ${why.unread.join('; ')}</p>`}
  </section>`;
}

function action(detail: Detail, { verb, does, command }: Action, scene: Scene): Drawn {
  const { state, actions } = scene;
  const canWrite = state.hello?.canWrite === true;
  return html`<li>
    ${
      canWrite
        ? html`<button
            type="button"
            class="verb"
            @click=${() => actions.confirm({ key: detail.key, verb, does, command })}
          >
            ${verb}…
          </button>`
        : html`<b>${verb}</b>`
    }
    <p>${does}</p>
    ${commandLine(command, actions, state)}
  </li>`;
}

const actionsCard = (detail: Detail, scene: Scene): Drawn =>
  detail.actions.length === 0
    ? nothing
    : card(
        'What you may do',
        html`<ul class="actions">
          ${detail.actions.map((each) => action(detail, each, scene))}
        </ul>`,
        scene.state.hello?.canWrite === true ? nothing : html`<span class="dim">begin with --write for buttons</span>`,
      );

const event = ({ at, isWarning, reason, note, about, count }: EventView, now: number): Drawn =>
  html`<li class=${isWarning ? 'warning' : ''}>
    <time datetime=${at} title=${at}>${ago(at, now)}</time>
    <div>
      <b>${reason}</b> <span class="dim">${about}${count > 1 ? `, ${count} times` : ''}</span>
      <p>${note}</p>
    </div>
  </li>`;

const timeline = ({ events }: Detail, now: number): Drawn =>
  card(
    'Timeline',
    events.length === 0
      ? html`<p class="dim">No events: Kubernetes keeps them for an hour.</p>`
      : html`<ol class="timeline" tabindex="0" aria-label="Events, the newest first">
          ${events.map((each) => event(each, now))}
        </ol>`,
  );

const condition = ({ type, status, reason, message, lastTransitionTime }: ConditionShown, now: number): Drawn =>
  html`<tr>
    <th scope="row">${type}</th>
    <td>${status}</td>
    <td><b>${reason}</b>${message === '' ? nothing : html`<p>${message}</p>`}</td>
    <td>${ago(lastTransitionTime, now)}</td>
  </tr>`;

const conditions = ({ view: { facts } }: Detail, now: number): Drawn =>
  facts.conditions.length === 0
    ? nothing
    : card(
        'Conditions',
        html`<div class="scroll" tabindex="0" role="group" aria-label="Table of conditions">
          <table>
            <thead>
              <tr>
                <th scope="col">Condition</th>
                <th scope="col">Is</th>
                <th scope="col">Reason</th>
                <th scope="col">For</th>
              </tr>
            </thead>
            <tbody>
              ${facts.conditions.map((each) => condition(each, now))}
            </tbody>
          </table>
        </div>`,
      );

const jobTones = { running: 'busy', succeeded: 'good', failed: 'bad' } as const;

const jobs = ({ view }: Detail, now: number): Drawn =>
  view.jobs.length === 0
    ? nothing
    : card(
        'Jobs',
        html`<ul class="plain">
          ${view.jobs.map(
            ({ name, purpose, state, since }) =>
              html`<li>
                <span class="pill ${jobTones[state]}">${state}</span> <b>${purpose}</b>
                <span class="dim">${name}, ${ago(since, now)}</span>
              </li>`,
          )}
        </ul>`,
      );

const outside = ({ view }: Detail): Drawn =>
  view.external.length === 0
    ? nothing
    : card(
        'Outside of the cluster',
        html`<ul class="plain">
          ${view.external.map(
            ({ what, id, at }) =>
              html`<li>
                <b>${what}</b> ${id ?? '(not made yet)'}
                ${at === undefined ? nothing : html`<span class="dim">at ${at}</span>`}
              </li>`,
          )}
        </ul>`,
      );

/** How it is now: the picture, what it waits for, what may be done, and what has been said. */
export const nowTab = (scene: Scene, detail: Detail): Drawn =>
  html`${picture(detail, scene)}
    <div class="columns">
      <div>${whyCard(detail, scene)}${actionsCard(detail, scene)}${conditions(detail, scene.now)}</div>
      <div>${timeline(detail, scene.now)}${jobs(detail, scene.now)}${outside(detail)}</div>
    </div>`;
