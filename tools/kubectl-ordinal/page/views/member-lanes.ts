/** How long a member takes from one lane to the next, in milliseconds. */
const moveMs = 450;

/** Lanes of members. One that comes to stand elsewhere is seen to go there, unless the user wants no motion. */
class MemberLanes extends HTMLElement {
  #places = new Map<string, DOMRect>();
  readonly #observer = new MutationObserver(() => this.#moved());

  connectedCallback(): void {
    this.#observer.observe(this, { childList: true, subtree: true });
    this.#places = this.#now();
  }

  disconnectedCallback(): void {
    this.#observer.disconnect();
  }

  #now(): Map<string, DOMRect> {
    const members = this.querySelectorAll<HTMLElement>('[data-member]');
    return new Map([...members].map((each) => [each.dataset['member'] ?? '', each.getBoundingClientRect()]));
  }

  #moved(): void {
    const [before, after] = [this.#places, this.#now()];
    this.#places = after;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    for (const element of this.querySelectorAll<HTMLElement>('[data-member]')) {
      const name = element.dataset['member'] ?? '';
      const [from, to] = [before.get(name), after.get(name)];
      if (!from || !to) continue;
      const [x, y] = [from.left - to.left, from.top - to.top];
      // A page that was scrolled has not moved a member.
      if (Math.abs(x) > 8)
        element.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: 'none' }], {
          duration: moveMs,
          easing: 'ease-in-out',
        });
    }
  }
}

/** Makes the element known to the page. */
export const defineMemberLanes = (): void => customElements.define('member-lanes', MemberLanes);
