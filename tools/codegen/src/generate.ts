import { emitFiles } from './emit/files.ts';
import type { GeneratedFile, Part } from './emit/options.ts';
import { checkRules } from './crd/rules.ts';
import { readDefinitions } from './crd/read.ts';
import type { SourceText } from './crd/read.ts';

/** What to generate, and how modules name each other. */
export interface GenerateOptions {
  /** The parts to emit; those that they need come along. All by default. */
  readonly parts?: readonly Part[];
  /** How relative imports end: `.js` for compilers, `.ts` for runtimes that strip types, empty for older bundlers. `.js` by default. */
  readonly importExtension?: '.js' | '.ts' | '';
  /** A module that already exports the types and validators, so that constructs import them from there and none are emitted beside them. */
  readonly typesFrom?: string;
}

/**
 * TypeScript for every CRD in the sources, as files with paths relative to the output folder, sorted. Pure: writes nothing.
 * Throws a `CodegenError` for input that can't be read or honoured.
 */
export function generate(sources: readonly SourceText[], options: GenerateOptions = {}): GeneratedFile[] {
  const definitions = readDefinitions(sources);
  const parts = new Set(options.parts ?? allParts);
  // Constructs validate what they synthesize.
  if (parts.has('validators') || parts.has('constructs')) definitions.forEach(checkRules);
  return emitFiles(definitions, {
    parts,
    extension: options.importExtension ?? '.js',
    typesFrom: options.typesFrom,
  });
}

const allParts: readonly Part[] = ['types', 'clients', 'constructs', 'validators'];
