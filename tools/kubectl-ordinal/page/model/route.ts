/** What is looked at of a resource. */
export type Tab = 'now' | 'plan' | 'what-if';

/** All tabs, in their order. */
export const tabs: readonly { readonly tab: Tab; readonly title: string }[] = [
  { tab: 'now', title: 'Now' },
  { tab: 'plan', title: 'Plan' },
  { tab: 'what-if', title: 'What if' },
];

/** Where the page is. */
export interface Route {
  /** `KIND/NAMESPACE/NAME`; absent: the overview. */
  readonly key?: string;
  readonly tab: Tab;
}

/** Reads the fragment of an address: `#/ClusteredCache/shop/sessions/plan`. What is none leads to the overview. */
export function routeOf(fragment: string): Route {
  const [kind = '', namespace = '', name = '', last] = fragment.replace(/^#\/?/, '').split('/').map(decoded);
  if (name === '') return { tab: 'now' };
  return { key: [kind, namespace, name].join('/'), tab: tabs.find(({ tab }) => tab === last)?.tab ?? 'now' };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The fragment that leads to a place. */
export function fragmentOf({ key, tab }: Route): string {
  if (key === undefined) return '#/';
  const path = key.split('/').map(encodeURIComponent).join('/');
  return tab === 'now' ? `#/${path}` : `#/${path}/${tab}`;
}

/** The token in the address that the command has printed. */
export const tokenIn = (fragment: string): string | undefined => /^#token=([\w-]+)$/.exec(fragment)?.[1];
