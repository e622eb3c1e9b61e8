import { buildPage } from '../../page/build.ts';

/** The page's files, by the path at which each is served. */
export type PageFiles = Readonly<Record<string, { readonly type: string; readonly text: string }>>;

/** The page. Built from its sources here; the bundle of the program has it built already (`bundle.ts`). */
export function pageFiles(): Promise<PageFiles> {
  return buildPage();
}
