/** How the page looks: as the system does, or as the user has chosen. */
export type Theme = 'system' | 'light' | 'dark';

const themes: readonly Theme[] = ['system', 'light', 'dark'];
const item = 'ordinal-theme';

/** The theme that is chosen. */
export const themeNow = (): Theme => themes.find((each) => each === localStorage.getItem(item)) ?? 'system';

/** Has the page look as is chosen. */
export function showTheme(): void {
  const theme = themeNow();
  document.documentElement.dataset['theme'] = theme;
}

/** Chooses the next one. */
export function nextTheme(): void {
  localStorage.setItem(item, themes[(themes.indexOf(themeNow()) + 1) % themes.length] ?? 'system');
  showTheme();
}
