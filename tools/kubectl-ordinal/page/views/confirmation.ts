import { html, nothing } from 'lit-html';
import { ref } from 'lit-html/directives/ref.js';
import type { Confirmation, Scene } from '../state.ts';
import type { Drawn } from './parts.ts';
import { commandLine, failed } from './parts.ts';

/** A dialog that takes the focus as soon as it is there, and gives it back. */
function open(element: Element | undefined): void {
  if (!(element instanceof HTMLDialogElement)) return;
  // It is put into the page after this call.
  queueMicrotask(() => {
    if (element.isConnected && !element.open) element.showModal();
  });
}

/** Closes it as the Escape key does: the focus goes back to where it was. */
const close = ({ target }: Event): void => (target as Element).closest('dialog')?.close(); // What was clicked.

const title = ({ verb, key }: Confirmation): string => `${verb} ${key.split('/').slice(1).join('/')}?`;

function buttons({ outcome }: Confirmation, { actions }: Scene): Drawn {
  if (outcome.is === 'answered')
    return html`<p class="calm" role="status">Done: this ${outcome.answer}.</p>
      <footer><button type="button" class="primary" @click=${close}>Close</button></footer>`;
  return html`${outcome.is === 'failed' ? failed(outcome.error) : nothing}
    <footer>
      <button type="button" @click=${close}>Leave it</button>
      <button type="button" class="primary" ?disabled=${outcome.is === 'under way'} @click=${actions.act}>
        ${outcome.is === 'under way' ? 'Writing…' : 'Do it'}
      </button>
    </footer>`;
}

/** Asks before something is written. */
export function confirmation(scene: Scene): Drawn {
  const { confirmation: asked } = scene.state;
  if (!asked) return nothing;
  return html`<dialog ${ref(open)} aria-labelledby="asked" @close=${scene.actions.dismiss}>
    <h2 id="asked">${title(asked)}</h2>
    ${asked.outcome.is === 'answered' ? nothing : html`<p>This ${asked.does}.</p>`}
    ${commandLine(asked.command, scene.actions, scene.state)} ${buttons(asked, scene)}
  </dialog>`;
}
