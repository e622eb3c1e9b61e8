import { render } from 'lit-html';
import type {
  ActQuestion,
  DetailChanged,
  Hello,
  PlanAnswer,
  Row,
  RowsChanged,
  WhatIfAnswer,
  WhatIfQuestion,
} from '../src/console/wire.ts';
import { routeOf, tokenIn } from './model/route.ts';
import { Server } from './server.ts';
import type { Actions, Asked, State } from './state.ts';
import { firstState, notAsked } from './state.ts';
import { nextTheme, showTheme } from './theme.ts';
import { appView } from './views/app.ts';
import { defineMemberLanes } from './views/member-lanes.ts';

/** Where the token is kept as long as the tab is open: no other origin, and no other port, can read it. */
const tokenItem = 'ordinal-token';

/** The token of this tab. It is taken out of the address bar: what is copied from there opens nothing. */
function tokenOfTab(): string {
  const given = tokenIn(location.hash);
  if (given !== undefined) {
    sessionStorage.setItem(tokenItem, given);
    history.replaceState(undefined, '', '#/');
  }
  return sessionStorage.getItem(tokenItem) ?? '';
}

/** The page: draws its state, and changes it by what the server and the user say. */
class OrdinalConsole extends HTMLElement {
  #state: State = firstState;
  #isDue = false;
  #following = new AbortController();
  #server = new Server('');

  connectedCallback(): void {
    showTheme();
    this.#server = new Server(tokenOfTab());
    this.#set({ route: routeOf(location.hash) });
    this.#follow();
    addEventListener('hashchange', () => this.#go());
    setInterval(() => this.#draw(), 1_000);
  }

  #set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    this.#draw();
  }

  #draw(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      const state = this.#state;
      render(appView({ state, actions: this.#actions, now: Date.now() + state.clockOffsetMs }), this);
    });
  }

  #go(): void {
    const before = this.#state.route;
    const route = routeOf(location.hash);
    const isOther = route.key !== before.key;
    this.#set({ route, ...(isOther && { detail: undefined, plan: notAsked, manifest: notAsked, whatIf: notAsked }) });
    if (isOther) this.#follow();
    this.#load();
    requestAnimationFrame(() => this.querySelector<HTMLElement>('h1')?.focus());
  }

  /** What a tab needs that the stream does not bring. */
  #load(): void {
    const { route, plan, manifest } = this.#state;
    if (route.tab === 'plan' && plan.is === 'not asked') this.#actions.askPlan();
    if (route.tab === 'what-if' && manifest.is === 'not asked') this.#actions.resetManifest();
  }

  #follow(): void {
    this.#following.abort();
    this.#following = new AbortController();
    const { signal } = this.#following;
    void this.#server.follow(this.#state.route.key, signal, {
      link: (link) => this.#set({ link }),
      hello: (hello: Hello) => {
        this.#set({ hello, link: 'live' });
        this.#load();
      },
      rows: (changed: RowsChanged) => this.#rows(changed),
      detail: (detail: DetailChanged) => this.#set({ detail, clockOffsetMs: detail.now - Date.now() }),
    });
  }

  #rows({ now, isAll, rows, gone, unread }: RowsChanged): void {
    const all = new Map<string, Row>(isAll ? [] : this.#state.rows);
    for (const row of rows) all.set(row.key, row);
    for (const key of gone) all.delete(key);
    this.#set({ rows: all, unread, clockOffsetMs: now - Date.now() });
  }

  readonly #actions: Actions = {
    search: (search) => this.#set({ search }),
    showOnly: (only) => this.#set({ only }),
    copy: (command) => {
      void navigator.clipboard.writeText(command).then(() => this.#set({ copied: command }));
    },
    confirm: (about) => this.#set({ confirmation: { ...about, outcome: notAsked } }),
    dismiss: () => this.#set({ confirmation: undefined }),
    act: () => {
      const { confirmation } = this.#state;
      if (!confirmation) return;
      const { key, verb, does } = confirmation;
      const question: ActQuestion = { key, verb, does };
      this.#set({ confirmation: { ...confirmation, outcome: { is: 'under way' } } });
      void this.#server.ask<{ readonly does: string }>('/api/act', question).then((asked) => {
        const outcome = asked.is === 'answered' ? { is: asked.is, answer: asked.answer.does } : asked;
        this.#set({ confirmation: { ...confirmation, outcome } });
      });
    },
    askPlan: () => this.#about<PlanAnswer>('plan', (plan) => ({ plan })),
    resetManifest: () =>
      this.#about<{ readonly text: string }>('manifest', (asked) => ({
        manifest: asked.is === 'answered' ? { is: asked.is, answer: asked.answer.text } : asked,
      })),
    changeManifest: (answer) => this.#set({ manifest: { is: 'answered', answer } }),
    chooseFaults: (faults) => this.#set({ faults }),
    askWhatIf: () => {
      const { manifest, faults, route } = this.#state;
      if (manifest.is !== 'answered') return;
      this.#set({ whatIf: { is: 'under way' } });
      const question: WhatIfQuestion = { manifest: manifest.answer, faults };
      void this.#server.ask<WhatIfAnswer>('/api/what-if', question).then((whatIf) => {
        if (this.#state.route.key === route.key) this.#set({ whatIf });
      });
    },
    changeTheme: () => {
      nextTheme();
      this.#draw();
    },
  };

  /** Asks something about the resource that is looked at, unless another one is by then. */
  #about<T>(what: 'plan' | 'manifest', change: (asked: Asked<T>) => Partial<State>): void {
    const { key } = this.#state.route;
    if (key === undefined) return;
    this.#set(change({ is: 'under way' }));
    void this.#server.look<T>(`/api/${what}`, key).then((asked) => {
      if (this.#state.route.key === key) this.#set(change(asked));
    });
  }
}

defineMemberLanes();
customElements.define('ordinal-console', OrdinalConsole);
