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

/** Reads the command line. Throws a `CodegenError` that says what is wrong with it. */
export function parseArguments(argv: readonly string[]): Arguments {
  const { values, flags, inputs } = scan(argv);
  const action = flags.has('--help')
    ? 'help'
    : flags.has('--version')
      ? 'version'
      : flags.has('--check')
        ? 'check'
        : 'generate';
  const out = values.get('--out') ?? '';
  if (action === 'generate' || action === 'check') {
    if (out === '') throw new CodegenError('Usage', '--out DIR is missing; say where the files shall go');
    if (inputs.length === 0)
      throw new CodegenError('Usage', 'no input; give CRD files, folders, or - for standard input');
    if (inputs.indexOf('-') !== inputs.lastIndexOf('-'))
      throw new CodegenError('Usage', '- is given twice; standard input can be read once');
  }
  const typesFrom = values.get('--types-from');
  return {
    action,
    out,
    inputs,
    ...partsOf(values.get('--only')),
    ...extensionOf(values.get('--import-extension')),
    ...(typesFrom === undefined ? {} : { typesFrom }),
  };
}

interface Scanned {
  readonly values: ReadonlyMap<string, string>;
  readonly flags: ReadonlySet<string>;
  readonly inputs: readonly string[];
}

const valued = new Set(['--out', '--only', '--import-extension', '--types-from']);
const bare: Readonly<Record<string, string>> = {
  '--check': '--check',
  '--help': '--help',
  '-h': '--help',
  '--version': '--version',
};

function scan(argv: readonly string[]): Scanned {
  const end = argv.indexOf('--');
  const words = (end === -1 ? argv : argv.slice(0, end)).flatMap(splitAssignment);
  const values = new Map<string, string>();
  const flags = new Set<string>();
  const inputs: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const flag = bare[word];
    if (word === '-' || !word.startsWith('-')) inputs.push(word);
    else if (flag !== undefined) flags.add(flag);
    else if (valued.has(word)) values.set(word, valueOf(word, words[(index += 1)]));
    else throw new CodegenError('Usage', `unknown option ${word}; see ordinal-codegen --help`);
  }
  return { values, flags, inputs: end === -1 ? inputs : [...inputs, ...argv.slice(end + 1)] };
}

/** `--out=DIR` as two words. */
function splitAssignment(word: string): string[] {
  const equals = word.indexOf('=');
  return word.startsWith('--') && equals !== -1 ? [word.slice(0, equals), word.slice(equals + 1)] : [word];
}

function valueOf(option: string, value: string | undefined): string {
  if (value === undefined || value === '' || value.startsWith('--'))
    throw new CodegenError('Usage', `${option} needs a value; see ordinal-codegen --help`);
  return value;
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
