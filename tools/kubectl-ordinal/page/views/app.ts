import { html, nothing } from 'lit-html';
import { fragmentOf } from '../model/route.ts';
import type { Link, Scene } from '../state.ts';
import { themeNow } from '../theme.ts';
import { confirmation } from './confirmation.ts';
import { history } from './history.ts';
import { list } from './list.ts';
import { overview } from './overview.ts';
import type { Drawn } from './parts.ts';
import { resource } from './resource.ts';

const links: Readonly<Record<Link, string>> = {
  ...{ connecting: 'connecting', live: 'live', lost: 'connection lost, trying again', refused: 'refused' },
};

function head({ state, actions }: Scene): Drawn {
  const { hello, link } = state;
  const place =
    hello &&
    (hello.history ? 'a history' : hello.namespace === undefined ? 'all namespaces' : `namespace ${hello.namespace}`);
  return html`<header class="top">
    <a class="skip" href=${fragmentOf(state.route)} @click=${toMain}>Skip the list</a>
    <a class="brand" href="#/"><img src="/icon.svg" alt="" width="26" height="26" />Ordinal</a>
    ${hello ? html`<span class="place">${place}<span class="dim"> ${hello.history ? 'of' : 'at'} ${hello.of}</span></span>` : nothing}
    <span class="grow"></span>
    ${
      hello
        ? html`<span class="pill ${hello.canWrite ? 'waits' : 'plain'}"
            >${hello.canWrite ? 'can write' : 'read only'}</span
          >`
        : nothing
    }
    <span class="link ${link}" role="status"
      >${hello?.history && link === 'live' ? 'a recorded history' : links[link]}</span
    >
    <button type="button" class="quiet" @click=${actions.changeTheme}>Colors: ${themeNow()}</button>
  </header>`;
}

const refused = html`<main id="main" class="page">
  <div class="empty">
    <h1 tabindex="-1">This address opens nothing</h1>
    <p>The token is missing or of a console that has ended.</p>
    <p>Open the whole address that <code>kubectl ordinal console</code> has printed.</p>
  </div>
</main>`;

/** What a screen reader says when the resource that is looked at goes on. */
function said({ state: { detail } }: Scene): string {
  const upgrade = detail?.detail?.view.facts.upgrade;
  if (!detail?.detail) return '';
  const { name, facts } = detail.detail.view;
  return upgrade
    ? `${name}: ${upgrade.step} ${upgrade.pod ?? ''} ${upgrade.blockedBy ?? ''}`
    : `${name}: ${facts.phase}`;
}

/** The whole page. */
export function appView(scene: Scene): Drawn {
  const { route, link } = scene.state;
  if (link === 'refused') return html`${head(scene)}${refused}`;
  return html`${head(scene)}
    <div class="panes">
      ${list(scene)}
      <main id="main" class="page">
        ${history(scene)}${route.key === undefined ? overview(scene) : resource(scene, route.key)}
      </main>
    </div>
    <p class="unseen" aria-live="polite">${said(scene)}</p>
    ${confirmation(scene)}`;
}

function toMain(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('h1')?.focus();
}
