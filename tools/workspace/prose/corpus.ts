import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitionPassages } from './definitions.ts';
import { pagePassages } from './pages.ts';
import type { Passage } from './passage.ts';
import { sourcePassages } from './sources.ts';

/** Pages of ours, and none that a program writes: the tables of what mutations showed name tests as they were called then. */
const isPage = (file: string): boolean =>
  file.endsWith('.md') && !/fixtures\/|(?:mutants|mutations)\/results\.md$/.test(file);

const isSource = (file: string): boolean =>
  /^(?:libs|apps|tools|verification|bench|examples)\/.*\.[jt]s$/.test(file) &&
  !/generated\/|fixtures\/|workspace\/prose\.test\.ts$/.test(file);

/** Where the words of conditions, events, errors and log lines are. */
const hasMessages = (file: string): boolean =>
  /^(?:apps\/operator|libs\/(?:reconcilers|lifecycle|api|constructs|runtime))\/src\//.test(file) &&
  !file.endsWith('.test.ts');

/** Everything that people read: pages, docstrings, messages, and descriptions of CRDs. */
export function corpusOf(root: string): readonly Passage[] {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => existsSync(join(root, file)));
  return files.flatMap((file) => {
    const read = (): string => readFileSync(join(root, file), 'utf8');
    if (isPage(file)) return pagePassages(file, read());
    if (isSource(file)) return sourcePassages(file, read(), { messages: hasMessages(file) });
    return /^libs\/api\/crds\/.*\.yaml$/.test(file) ? definitionPassages(file, read()) : [];
  });
}
