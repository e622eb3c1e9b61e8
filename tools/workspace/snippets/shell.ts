import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { kubectlErrors } from './kubectl.ts';
import type { Snippet } from './typescript.ts';

/** Programs that a reader has, or that a page says to install. What they are given is not looked at. */
const known: ReadonlySet<string> = new Set([
  'helm',
  'grep',
  'export',
  'for',
  'done',
  'ctr',
  'skopeo',
  'curl',
  'date',
  'openssl',
]);

/** Where the flags of our programs are declared. */
const flagsOf: Readonly<Record<string, string>> = {
  'ordinal-codegen': 'tools/codegen/src/command/arguments.ts',
  'ordinal-simulate': 'libs/simulator/src/http/simulate.ts',
  'ordinal-operator': 'apps/operator/src/configuration/settings.ts',
};

/** What is wrong with the commands of a block for a shell: what bash does not parse, and programs, scripts, files, flags, resources and fields that do not exist. */
export function shellErrors(root: string, { page, line, body }: Snippet): readonly string[] {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: body, encoding: 'utf8' });
  const found = status === 0 ? commandsIn(body).flatMap((words) => commandErrors(words, { root, page })) : [stderr];
  return found.map((error) => `${page}:${String(line)}: ${error.trim()}`);
}

/** The commands of a script, each as its words without quotes. Comments, assignments in front and redirections are left out; what stands in `$(…)` comes after its line. */
export function commandsIn(script: string): readonly (readonly string[])[] {
  const commands = script
    .replace(/\\\n/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const inner: string[] = [];
      const outer = line.replace(/\$\(([^()]*)\)/g, (_, command: string) => {
        inner.push(command);
        return '…';
      });
      return [outer, ...inner].flatMap(split);
    });
  return commands.flatMap((words) => {
    const start = words.findIndex((word) => !/^(?:\w+=.*|do)$/.test(word));
    return start < 0 ? [] : [words.slice(start)];
  });
}

/** The commands of one line: quotes are taken off, and `#` begins a comment. */
function split(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [token] of line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"|&;])+|[|&;]+/g)) {
    if (token.startsWith('#')) break;
    if (/^[|&;]+$/.test(token)) commands.push([]);
    else commands.at(-1)?.push(token.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return commands.filter(({ length }) => length > 0);
}

interface Place {
  readonly root: string;
  readonly page: string;
}

function commandErrors([program = '', ...rest]: readonly string[], place: Place): readonly string[] {
  if (program === 'kubectl') return kubectlErrors(rest);
  if (program === 'npm') return npmErrors(rest, place);
  if (program === 'npx') return npxErrors(rest, place);
  if (program === 'bash' || program === 'sh' || /(?:^|\/)node$/.test(program)) return fileErrors(rest, place);
  if (program in flagsOf) return flagErrors(program, rest, place.root);
  return known.has(program) ? [] : [`${program}: not a program that this page may expect`];
}

function npmErrors([verb, ...rest]: readonly string[], { root, page }: Place): readonly string[] {
  if (verb === '--prefix') {
    const [folder = '', ...words] = rest;
    return npmErrors(words, { root: join(root, folder), page: 'package.json' });
  }
  if (verb !== 'run')
    return verb === 'ci' || verb === 'test' || verb === 'install' ? [] : [`npm ${verb ?? ''}: not expected`];
  const script = rest.find((word) => !word.startsWith('-')) ?? '';
  const workspace = rest[rest.indexOf('-w') + 1];
  const folders = rest.includes('-w') ? [join(root, workspace ?? '')] : [root, join(root, dirname(page))];
  const exists = folders.some((folder) => script in scriptsOf(folder));
  const flags = script === 'operator' ? flagErrors('ordinal-operator', rest, root) : [];
  return [...(exists ? [] : [`npm run ${script}: there is no such script`]), ...flags];
}

function scriptsOf(folder: string): object {
  const file = join(folder, 'package.json');
  return existsSync(file) ? ((JSON.parse(readFileSync(file, 'utf8')) as { scripts?: object }).scripts ?? {}) : {};
}

function npxErrors([program = '', ...rest]: readonly string[], { root }: Place): readonly string[] {
  if (program in flagsOf) return flagErrors(program, rest, root);
  return existsSync(join(root, 'node_modules/.bin', program)) ? [] : [`npx ${program}: there is no such program`];
}

function flagErrors(program: string, words: readonly string[], root: string): readonly string[] {
  const declared = readFileSync(join(root, flagsOf[program] ?? ''), 'utf8');
  const flags = words.flatMap((word) => /^--([a-z-]+)/.exec(word)?.[1] ?? []).filter((flag) => flag !== 'help');
  return flags
    .filter((flag) => !declared.includes(`--${flag}`) && !declared.includes(`'${flag}'`))
    .map((flag) => `${program} --${flag}: there is no such flag`);
}

/** The first file that a program is given has to exist, from the root, from the page's folder, or as a build makes it. */
function fileErrors(words: readonly string[], { root, page }: Place): readonly string[] {
  const file = words.find((word) => /\.(?:ts|js|mjs|sh)$/.test(word));
  if (file === undefined || file.includes('/dist/')) return [];
  const folders = [root, dirname(join(root, page)), dirname(dirname(join(root, page)))];
  return folders.some((folder) => existsSync(join(folder, file))) ? [] : [`${file}: there is no such file`];
}
