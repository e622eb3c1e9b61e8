import { parseArgs } from 'node:util';
import type { Part } from '../emit/options.ts';
import { CodegenError } from '../error.ts';
import type { GenerateOptions } from '../generate.ts';

/** What the command line asks for. */
export interface Arguments extends GenerateOptions {
  readonly action: 'generate' | 'check' | 'help' | 'version';
  readonly out: string;
  /** Files, folders, and `-` for standard input. */
  readonly inputs: readonly string[];
}

/** The text of `--help`. */
export const usage = `usage: ordinal-codegen --out DIR [options] CRD.yaml… | DIR… | -

TypeScript for CustomResourceDefinitions: types, descriptors and typed clients, cdk8s constructs, validators.
Inputs are files with one or many YAML documents, folders of them, or standard input (-), such as a rendered Helm chart.
DIR belongs to the generator: its generated files that no input asks for any more are removed, others are left alone.

  --out DIR                where the files go
  --check                  write nothing; print what differs and exit with 1 if anything does
  --only PART,…            types, clients, constructs, validators; what a part needs comes along (default: all)
  --import-extension EXT   how relative imports end: js, ts or none (default: js)
  --types-from MODULE      constructs import types from MODULE and validators from MODULE/validation
  --help, --version

exit codes: 0 done, or nothing differs; 1 --check found a difference; 2 bad use, bad input, or nothing could be written`;

const parts: readonly Part[] = ['types', 'clients', 'constructs', 'validators'];
const extensions = { js: '.js', ts: '.ts', none: '' } as const;

const options = {
  out: { type: 'string' },
  check: { type: 'boolean' },
  only: { type: 'string' },
  'import-extension': { type: 'string' },
  'types-from': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** Reads the command line. Throws a `CodegenError` that says what is wrong with it. */
export function parseArguments(argv: readonly string[]): Arguments {
  const { values, positionals: inputs } = read(argv);
  const action = values.help ? 'help' : values.version ? 'version' : values.check ? 'check' : 'generate';
  const out = values.out ?? '';
  if (action === 'generate' || action === 'check') {
    if (out === '') throw new CodegenError('Usage', '--out DIR is missing; say where the files shall go');
    if (inputs.length === 0)
      throw new CodegenError('Usage', 'no input; give CRD files, folders, or - for standard input');
    if (inputs.indexOf('-') !== inputs.lastIndexOf('-'))
      throw new CodegenError('Usage', '- is given twice; standard input can be read once');
  }
  const typesFrom = values['types-from'];
  return {
    action,
    out,
    inputs,
    ...partsOf(values.only),
    ...extensionOf(values['import-extension']),
    ...(typesFrom === undefined ? {} : { typesFrom }),
  };
}

function read(argv: readonly string[]) {
  try {
    const line = parseArgs({ args: [...argv], options, allowPositionals: true });
    const empty = Object.entries(line.values).find(([, value]) => value === '');
    if (empty) throw new CodegenError('Usage', `--${empty[0]} needs a value; see ordinal-codegen --help`);
    return line;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CodegenError('Usage', `${mistakeIn(error.message)}; see ordinal-codegen --help`, { cause: error });
  }
}

/** What is wrong with a flag, from a message of `parseArgs`: that one names the flag and says no more about ours. */
function mistakeIn(message: string): string {
  const flag = /--[^' ]+(?=[' ])|-\w(?=')/.exec(message)?.[0] ?? '';
  const known = Object.entries(options).find(([name]) => `--${name}` === flag);
  if (known === undefined) {
    const names = Object.keys(options).map((name) => `--${name}`);
    return `unknown option ${flag}; there are ${names.join(', ')}`;
  }
  return `${flag} ${known[1].type === 'boolean' ? 'takes no value' : 'needs a value'}`;
}

function partsOf(list: string | undefined): { readonly parts?: readonly Part[] } {
  if (list === undefined) return {};
  const asked = list.split(',').map((part) => part.trim());
  const unknown = asked.find((part) => !parts.some((known) => known === part));
  if (unknown !== undefined)
    throw new CodegenError('Usage', `--only ${unknown}: there is no such part; choose of ${parts.join(', ')}`);
  return { parts: parts.filter((part) => asked.includes(part)) };
}

function extensionOf(value: string | undefined): { readonly importExtension?: '.js' | '.ts' | '' } {
  if (value === undefined) return {};
  const name = value.replace(/^\./, '');
  if (name !== 'js' && name !== 'ts' && name !== 'none')
    throw new CodegenError('Usage', `--import-extension ${value}: choose js, ts or none`);
  return { importExtension: extensions[name] };
}
