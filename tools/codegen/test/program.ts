import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { GeneratedFile, SourceText } from '../src/index.ts';

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url));

/** The unmodified CRDs of other projects. */
export const realCrds = (): SourceText[] => sourcesIn('crds');

/** The CRDs made for these tests. */
export const ownCrds = (): SourceText[] => sourcesIn('own');

const sourcesIn = (folder: string): SourceText[] =>
  readdirSync(join(fixtures, folder))
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => ({ file: name, text: readFileSync(join(fixtures, folder, name), 'utf8') }));

/** The compiler flags of the workspace, the libraries' own declarations checked too. */
const flags: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  customConditions: ['ordinal-source'],
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  isolatedModules: true,
  isolatedDeclarations: true,
  declaration: true,
  skipLibCheck: false,
  types: [],
};

/** Writes files beside a `node_modules` of the workspace, hands the folder to `use`, and takes it away again. */
function inFolder<T>(files: readonly GeneratedFile[], use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'codegen-program-'));
  try {
    symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'));
    for (const { path, text } of [{ path: 'package.json', text: '{"type":"module"}' }, ...files]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The compiler's complaints about these files, a line each; those about sources outside of them are not theirs. */
export function compileErrors(files: readonly GeneratedFile[]): string[] {
  return inFolder(files, (folder) => {
    const roots = files.map(({ path }) => join(folder, path));
    const program = ts.createProgram({ rootNames: roots, options: flags });
    return roots
      .map((root) => program.getSourceFile(root))
      .filter((source) => source !== undefined)
      .flatMap((source) => [
        ...program.getSyntacticDiagnostics(source),
        ...program.getSemanticDiagnostics(source),
        ...program.getDeclarationDiagnostics(source),
      ])
      .map(({ file, start, messageText }) => {
        const line = file === undefined || start === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
        return `${file?.fileName.slice(folder.length + 1) ?? ''}:${String(line)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
      });
  });
}
