import { html, nothing, svg } from 'lit-html';
import { shortDuration } from '../../src/terminal/duration.ts';
import type { Detail, GateShown } from '../../src/console/wire.ts';
import { ago, countdown } from '../model/clock.ts';
import type { Lanes, Standing } from '../model/lanes.ts';
import { lanesOf } from '../model/lanes.ts';
import type { Scene } from '../state.ts';
import type { Drawn } from './parts.ts';

const memberSigns = { ready: '●', 'not ready': '◐', ending: '○' } as const;

function memberCard({ name, member, isCandidate, step }: Standing, now: number): Drawn {
  const state = member?.state ?? 'not there';
  const tone = { ready: 'good', 'not ready': 'bad', ending: 'waits', 'not there': 'plain' }[state];
  return html`<li class="member ${tone} ${isCandidate ? 'candidate' : ''}" data-member=${name}>
    <p class="who">
      <b>${name}</b>${member?.role === undefined ? nothing : html`<span class="role">${member.role}</span>`}
    </p>
    <p class="how">
      <span aria-hidden="true">${member ? memberSigns[member.state] : '◌'}</span> ${state}
      <span class="dim">${ago(member?.since, now)}</span>
    </p>
    ${member ? html`<p class="dim small">${member.version}${member.node === undefined ? nothing : ` on ${member.node}`}</p>` : nothing}
    ${step === undefined ? nothing : html`<p class="step">${step}</p>`}
    ${member?.cause === undefined ? nothing : html`<p class="cause">${member.cause}</p>`}
    ${(member?.volumes ?? []).map(
      ({ name: volume, size = '', phase, growsTo }) =>
        html`<p class="dim small" title=${volume}>${size}${growsTo === undefined ? '' : ` → ${growsTo}`} ${phase}</p>`,
    )}
  </li>`;
}

function lane(title: string, members: readonly Standing[], now: number): Drawn {
  return html`<section class="lane" aria-label="${title}: ${members.length} members">
    <h3>${title}<span class="count">${members.length}</span></h3>
    <ul>
      ${members.map((each) => memberCard(each, now))}
    </ul>
  </section>`;
}

const gate = ({ name, target, state, answer, since, askedAt }: GateShown, now: number): Drawn => {
  const drawn = state === 'open or not asked' ? 'unknown' : state;
  return html`<li class="gate ${drawn}">
    <svg viewBox="0 0 44 40" width="44" height="40" aria-hidden="true">
      <rect x="4" y="6" width="5" height="34" rx="2"></rect>
      <rect class="bar" x="7" y="11" width="34" height="7" rx="3"></rect>
    </svg>
    <div>
      <b>${name}</b> <span class="dim">${target}</span>
      <p>${state}${since === undefined ? nothing : html` <span class="dim">for ${ago(since, now)}</span>`}</p>
    </div>
    ${
      answer === undefined
        ? nothing
        : html`<p class="answer">
            ${answer}${askedAt === undefined ? nothing : html` <span class="dim">asked ${ago(askedAt, now)} ago</span>`}
          </p>`
    }
  </li>`;
};

const radius = 22;
const around = 2 * Math.PI * radius;

/** The clock of the deadline: what is left of it as an arc. */
function deadline({ view: { facts } }: Detail, now: number): Drawn {
  const { since, deadline: at, step } = facts.upgrade ?? {};
  const left = step === 'Failed' ? undefined : countdown(since, at, now);
  if (!left) return nothing;
  const tone = left.part < 0.2 ? 'bad' : left.part < 0.5 ? 'waits' : 'busy';
  const text = left.leftMs > 0 ? shortDuration(left.leftMs) : 'over';
  return html`<div class="clock ${tone}">
    <svg viewBox="0 0 52 52" width="52" height="52" aria-hidden="true">
      <circle cx="26" cy="26" r=${radius} class="track"></circle>
      ${svg`<circle cx="26" cy="26" r=${radius} class="arc" transform="rotate(-90 26 26)" stroke-dasharray="${left.part * around} ${around}"></circle>`}
    </svg>
    <p><b>${text}</b><small>until it fails, unless something moves</small></p>
  </div>`;
}

function progress({ view }: Detail, now: number): Drawn {
  const { upgrade, replicas = 0 } = view.facts;
  if (!upgrade) return nothing;
  const { done = 0, endsAt } = view.estimate ?? {};
  const left = endsAt === undefined ? undefined : Date.parse(endsAt) - now;
  const text = `${upgrade.updated} of ${replicas} members done${left === undefined ? '' : `, about ${shortDuration(left)} to go`}`;
  return html`<div class="progress">
    <p>
      <b>${upgrade.step}</b>${upgrade.pod === undefined ? nothing : html` with ${upgrade.pod}`}
      <span class="dim">for ${ago(upgrade.since, now)}</span>
    </p>
    <svg class="bar" role="img" aria-label=${text}>
      <rect width="100%" height="10" rx="5" class="track"></rect>
      <rect width="${done * 100}%" height="10" rx="5"></rect>
    </svg>
    <p class="dim">${text}</p>
  </div>`;
}

const upgradeLanes = ({ before, moving, after, gates }: Lanes, detail: Detail, now: number): Drawn => {
  const { version, target } = detail.view.facts;
  return html`<member-lanes>
    ${lane(`Runs ${version ?? 'what was'}`, before, now)}
    <section class="gates" aria-label="Gates">
      ${
        gates.length === 0
          ? html`<p class="dim">no gates</p>`
          : html`<ul>
              ${gates.map((each) => gate(each, now))}
            </ul>`
      }
    </section>
    ${lane('Being replaced', moving, now)} ${lane(`Runs ${target ?? 'what is wanted'}`, after, now)}
  </member-lanes>`;
};

const restingGates = (gates: readonly GateShown[], now: number): Drawn =>
  gates.length === 0
    ? nothing
    : html`<section class="gates resting" aria-label="Gates">
        <ul>
          ${gates.map((each) => gate(each, now))}
        </ul>
      </section>`;

const restingLane = ({ moving, after }: Lanes, now: number): Drawn =>
  html`<member-lanes class="resting"
    ><div class="lane">
      <ul>
        ${[...after, ...moving].map((each) => memberCard(each, now))}
      </ul>
    </div></member-lanes
  >`;

/** The members in their places: in an upgrade they go from the old version through the gates to the new one. */
export function picture(detail: Detail, { now }: Scene): Drawn {
  const lanes = lanesOf(detail.view);
  const { upgrade } = detail.view.facts;
  if (!upgrade && lanes.after.length + lanes.moving.length === 0) return nothing;
  return html`<section class="card picture" aria-label=${upgrade ? 'The upgrade' : 'Members'}>
    ${
      upgrade
        ? html`<h2 class="unseen">The upgrade</h2>
            <header>${progress(detail, now)}${deadline(detail, now)}</header>
            ${upgradeLanes(lanes, detail, now)}`
        : html`<header><h2>Members</h2></header>
            ${restingLane(lanes, now)}${restingGates(lanes.gates, now)}`
    }
  </section>`;
}
