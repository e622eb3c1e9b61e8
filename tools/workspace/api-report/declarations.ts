import { join } from 'node:path';
import ts from 'typescript';

/** An entry of a package, and the source file that it is. */
export interface Entry {
  readonly specifier: string;
  readonly file: string;
}

/**
 * What each entry exports, as declarations without comments and bodies, sorted by name: the public types of a package as text, so that a review sees each change of them. Of
 * generated files only the names are given, since their source is reviewed.
 */
export function declarationsOf(entries: readonly Entry[], options: ts.CompilerOptions): ReadonlyMap<string, string> {
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    {
      ...options,
      noEmit: false,
      noCheck: true,
      declaration: true,
      emitDeclarationOnly: true,
      declarationMap: false,
      removeComments: true,
    },
  );
  const emitted = new Map<string, ts.SourceFile>();
  return new Map(entries.map(({ specifier, file }) => [specifier, reportOf(file, { program, emitted })]));
}

interface World {
  readonly program: ts.Program;
  /** The declaration files, by their sources. */
  readonly emitted: Map<string, ts.SourceFile>;
}

function reportOf(file: string, world: World): string {
  const checker = world.program.getTypeChecker();
  const source = world.program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} is no module`);
  const blocks = checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return { name: symbol.name, text: textOf(symbol.name, target, world) };
  });
  return blocks
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n');
}

/** The declarations of one export. */
function textOf(name: string, symbol: ts.Symbol, world: World): string {
  const texts = (symbol.declarations ?? []).flatMap((declaration) => {
    const source = declaration.getSourceFile();
    if (source.fileName.includes('/node_modules/')) return [`export { ${name} }; // of a dependency`];
    if (source.fileName.includes('/generated/')) return [];
    const declared = declarationFileOf(source, world).statements.filter((statement) =>
      declares(statement, symbol.name),
    );
    return declared.map((statement) => print(statement));
  });
  return [...new Set(texts)].join('\n');
}

function declarationFileOf(source: ts.SourceFile, { program, emitted }: World): ts.SourceFile {
  const known = emitted.get(source.fileName);
  if (known) return known;
  let text = '';
  const write = (_: string, content: string): void => void (text = content);
  program.emit(source, write, undefined, true);
  const file = ts.createSourceFile(`${source.fileName}.d.ts`, text, ts.ScriptTarget.Latest, true);
  emitted.set(source.fileName, file);
  return file;
}

function declares(statement: ts.Statement, name: string): boolean {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.some((each) => each.name.getText() === name);
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  return isNamed && statement.name?.text === name;
}

const printer = ts.createPrinter({ removeComments: true });

const print = (statement: ts.Statement): string =>
  printer
    .printNode(ts.EmitHint.Unspecified, withoutPrivate(statement), statement.getSourceFile())
    .replace(/^export declare /, 'export ');

/** A class without what only itself can use. */
function withoutPrivate(statement: ts.Statement): ts.Statement {
  if (!ts.isClassDeclaration(statement)) return statement;
  const { modifiers, name, typeParameters, heritageClauses, members } = statement;
  const isPrivate = (member: ts.ClassElement): boolean =>
    (member.name !== undefined && ts.isPrivateIdentifier(member.name)) ||
    (ts.canHaveModifiers(member) &&
      ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) === true);
  const shown = members.filter((member) => !isPrivate(member));
  return ts.factory.updateClassDeclaration(statement, modifiers, name, typeParameters, heritageClauses, shown);
}

/** The compiler's options of the workspace. */
export function workspaceOptions(root: string): ts.CompilerOptions {
  const file = join(root, 'tsconfig.base.json');
  const { config } = ts.readConfigFile(file, (path) => ts.sys.readFile(path)) as { config: object };
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options;
}
