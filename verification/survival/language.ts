import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

/** An identifier, by its place in a file of the workspace. */
export interface Position {
  readonly file: string;
  readonly at: number;
}

/** A file in which a symbol has another name. */
interface RenamedFile {
  readonly text: string;
  /** Where the symbol alone was, in the text before. */
  readonly at: readonly number[];
}

/** The files that a rename changes. */
export type Renamed = ReadonlyMap<string, RenamedFile>;

/** Renames symbols as an editor does, with TypeScript's language service. Nothing is written. */
export class Renamer {
  readonly #root: string;
  readonly #texts = new Map<string, string>();
  readonly #versions = new Map<string, number>();
  readonly #service: ts.LanguageService;

  /** `alone`: each file is a world of its own, so that a symbol of another file is renamed where it is imported. Else all that a `tsconfig.json` covers. */
  constructor(root: string, scope: { readonly alone: readonly string[] } | { readonly project: string }) {
    this.#root = root;
    const project = 'project' in scope ? readProject(join(root, scope.project)) : undefined;
    const options: ts.CompilerOptions = project?.options ?? { noResolve: true, noLib: true, types: [] };
    const names = project?.fileNames ?? ('alone' in scope ? scope.alone.map((file) => join(root, file)) : []);
    const textOf = (name: string): string | undefined =>
      this.#texts.get(name) ?? (existsSync(name) ? readFileSync(name, 'utf8') : undefined);
    this.#service = ts.createLanguageService({
      fileExists: (name) => ts.sys.fileExists(name),
      readFile: (name) => ts.sys.readFile(name),
      readDirectory: (...request) => ts.sys.readDirectory(...request),
      directoryExists: (name) => ts.sys.directoryExists(name),
      getDirectories: (name) => ts.sys.getDirectories(name),
      realpath: (name) => ts.sys.realpath?.(name) ?? name,
      getCompilationSettings: () => options,
      getScriptFileNames: () => names,
      getScriptVersion: (name) => String(this.#versions.get(name) ?? 0),
      getScriptSnapshot: (name) => {
        const text = textOf(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () =>
        project === undefined ? root : dirname(join(root, 'project' in scope ? scope.project : '')),
      getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    });
  }

  /** What becomes of the files when the symbol at this place gets another name; undefined for what stands nowhere else, or is not ours. */
  rename({ file, at }: Position, name: string): Renamed | undefined {
    const path = join(this.#root, file);
    if (this.#service.getProgram()?.getSourceFile(path) === undefined) return undefined;
    const locations = this.#service.findRenameLocations(path, at, false, false, {
      providePrefixAndSuffixTextForRename: true,
    });
    if (locations === undefined || locations.length < 2) return undefined;
    // The names of other packages, such as Kubernetes’ fields, are not ours to change.
    if (locations.some(({ fileName }) => fileName.includes('/node_modules/'))) return undefined;
    const changed = new Map<string, RenamedFile>();
    for (const [path, spans] of Map.groupBy(locations, ({ fileName }) => fileName)) {
      let text = this.#service.getProgram()?.getSourceFile(path)?.text ?? '';
      for (const { textSpan, prefixText = '', suffixText = '' } of spans.toSorted(
        (a, b) => b.textSpan.start - a.textSpan.start,
      ))
        text = `${text.slice(0, textSpan.start)}${prefixText}${name}${suffixText}${text.slice(textSpan.start + textSpan.length)}`;
      // At `{ a }`, which becomes `{ a: b }`, the editor may take the other of the two that are called so.
      const own = spans.filter(({ prefixText, suffixText }) => prefixText === undefined && suffixText === undefined);
      changed.set(relative(this.#root, path), { text, at: own.map(({ textSpan }) => textSpan.start) });
    }
    return changed;
  }

  /** Does something while a file has another text. */
  while<Result>({ file, text }: { readonly file: string; readonly text: string }, act: () => Result): Result {
    const path = join(this.#root, file);
    const touch = (): unknown => this.#versions.set(path, (this.#versions.get(path) ?? 0) + 1);
    this.#texts.set(path, text);
    touch();
    try {
      return act();
    } finally {
      this.#texts.delete(path);
      touch();
    }
  }
}

function readProject(path: string): ts.ParsedCommandLine {
  const { config } = ts.readConfigFile(path, (name) => ts.sys.readFile(name)) as { config: unknown };
  return ts.parseJsonConfigFileContent(config, ts.sys, dirname(path));
}
