import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** A block of TypeScript on a page. */
export interface Snippet {
  /** The page, from the root. */
  readonly page: string;
  readonly line: number;
  readonly body: string;
}

/** What the pages leave out: names that the reader has, declared in a file beside this one. */
const context = join(import.meta.dirname, 'reader.d.ts');

/**
 * The errors of the compiler in snippets, each with the page and line that it is in. A snippet is compiled as a module of its own in the folder of its page, with the strict
 * settings of this workspace; only variables may be unused. Names that it does not declare come from `reader.d.ts`.
 */
export function typeErrors(root: string, snippets: readonly Snippet[]): readonly string[] {
  const files = new Map(snippets.map((snippet) => [join(root, `${snippet.page}.${String(snippet.line)}.ts`), snippet]));
  const options = optionsOf(root);
  const host = ts.createCompilerHost(options);
  const textOf = (path: string): string | undefined => {
    const snippet = files.get(path);
    return snippet && `${snippet.body}\nexport {};\n`;
  };
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => textOf(path) ?? readFile(path);
  host.getSourceFile = (path, how, ...rest) => {
    const text = textOf(path);
    return text === undefined ? getSourceFile(path, how, ...rest) : ts.createSourceFile(path, text, how);
  };
  const program = ts.createProgram([context, ...files.keys()], options, host);
  return [context, ...files.keys()].flatMap((path) => {
    const source = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map((diagnostic) => {
      const line = source?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0;
      const snippet = files.get(path);
      const at = snippet ? `${snippet.page}:${String(snippet.line + 1 + line)}` : `${path}:${String(line + 1)}`;
      return `${at}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`;
    });
  });
}

function optionsOf(root: string): ts.CompilerOptions {
  const file = join(root, 'tsconfig.base.json');
  const { config } = ts.parseConfigFileTextToJson(file, readFileSync(file, 'utf8')) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(file));
  return { ...options, noUnusedLocals: false, declaration: false, declarationMap: false, skipLibCheck: false };
}
