import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** One name that a package exports, and the types that its declaration shows to who uses it. */
export interface Exported {
  readonly name: string;
  /** The file that declares it. */
  readonly file: string;
  /** The names in its signature: what a user of it may have to name. */
  readonly shows: ReadonlySet<string>;
}

type Declaration = ts.Statement & { readonly name?: ts.Node };

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);

/** The names that a module exports, with those that it hands on. Read from the syntax alone: nothing is type-checked. */
export function exportsOf(file: string): readonly Exported[] {
  return parse(file).statements.flatMap((statement): readonly Exported[] => {
    if (ts.isExportDeclaration(statement)) return handedOn(statement, file);
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ? declared(statement, file) : [];
  });
}

function handedOn({ exportClause, moduleSpecifier }: ts.ExportDeclaration, file: string): readonly Exported[] {
  const target = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
  const path = join(dirname(file), target);
  if (!target.startsWith('.') || !existsSync(path)) return [];
  const all = exportsOf(path);
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return all;
  return exportClause.elements.flatMap(({ name, propertyName }) =>
    all.filter((one) => one.name === (propertyName ?? name).text).map((one) => ({ ...one, name: name.text })),
  );
}

function declared(statement: Declaration, file: string): readonly Exported[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map((one) => ({
      name: one.name.getText(),
      file,
      shows: namesShown(one),
    }));
  return statement.name === undefined ? [] : [{ name: statement.name.getText(), file, shows: namesShown(statement) }];
}

/** The names of types in a declaration, function bodies and private members left out. */
function namesShown(declaration: ts.Node): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node) || isPrivate(node)) return;
    if (ts.isTypeReferenceNode(node)) names.add(node.typeName.getText());
    if (ts.isExpressionWithTypeArguments(node) || ts.isTypeQueryNode(node))
      names.add((ts.isTypeQueryNode(node) ? node.exprName : node.expression).getText());
    if (ts.isIdentifier(node) && ts.isNewExpression(node.parent)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return names;
}

function isPrivate(node: ts.Node): boolean {
  if (!ts.isClassElement(node)) return false;
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  const isMarked = modifiers.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
  return isMarked || (node.name !== undefined && ts.isPrivateIdentifier(node.name));
}
