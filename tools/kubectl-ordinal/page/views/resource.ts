import { html, nothing } from 'lit-html';
import type { Detail, Tone } from '../../src/console/wire.ts';
import { fragmentOf, tabs } from '../model/route.ts';
import type { Scene } from '../state.ts';
import { parties } from './history.ts';
import { nowTab } from './now.ts';
import type { Drawn } from './parts.ts';
import { pausedWords, pill, waiting } from './parts.ts';
import { planTab } from './plan.ts';
import { whatIfTab } from './what-if.ts';

function versions({ view: { facts } }: Detail): Drawn {
  const { version, target } = facts;
  if (target !== undefined && target !== version)
    return html`<span class="versions"
      ><b>${version ?? 'nothing'}</b><span aria-label="to"> → </span><b>${target}</b></span
    >`;
  return version === undefined ? nothing : html`<span class="versions"><b>${version}</b></span>`;
}

function title(key: string, detail: Detail | undefined, tone: Tone): Drawn {
  const [kind, namespace, name] = key.split('/');
  const { facts, deleting, paused } = detail?.view ?? {};
  return html`<div class="title">
    <p class="crumb"><a href="#/">All</a> / ${namespace} / ${kind}</p>
    <h1 tabindex="-1">${name}</h1>
    ${detail && facts && (facts.phase !== '' || deleting === true) ? pill(tone, deleting === true ? `deleting (${facts.phase})` : facts.phase) : nothing}
    ${paused === undefined ? nothing : pill('waits', pausedWords[paused])} ${detail ? versions(detail) : nothing}
    ${facts?.replicas === undefined ? nothing : html`<span class="dim">${facts.ready ?? 0} of ${facts.replicas} ready</span>`}
  </div>`;
}

/** One resource: its title, and the tab that is chosen. */
export function resource(scene: Scene, key: string): Drawn {
  const { state } = scene;
  const { detail: changed, route } = state;
  const known = changed?.key === key ? changed : undefined;
  const detail = known?.detail;
  const navigation = html`<nav class="tabs" aria-label="Views of ${key}">
    ${tabs.map(
      ({ tab, title: text }) =>
        html`<a href=${fragmentOf({ key, tab })} aria-current=${tab === route.tab ? 'page' : nothing}>${text}</a>`,
    )}
  </nav>`;
  const content = detail
    ? { now: nowTab, plan: planTab, 'what-if': whatIfTab }[state.hello?.history ? 'now' : route.tab](scene, detail)
    : waiting('reading it');
  return html`${title(key, detail, state.rows.get(key)?.tone ?? 'good')}${
    known && !detail
      ? html`<p class="empty">It is gone, or was never there.</p>`
      : html`${state.hello?.history ? nothing : navigation}${content}${parties(scene)}`
  }`;
}
