import ts from 'typescript';

/** What an identifier names: a property of something, or a variable, function or type. */
export type Role = 'property' | 'binding';

/** One leaf of a syntax tree: a token, without the comments and spaces before it. */
export interface Leaf {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** What it names, where it is an identifier. Both roles for `{ a }`, which is short for `{ a: a }`. */
  readonly roles: readonly Role[];
  /** Whether it stands where a name does that the fragment's author writes. Keywords and literals are none. */
  readonly isName: boolean;
}

/** A file of the product as its leaves. */
export interface Source {
  readonly text: string;
  readonly leaves: readonly Leaf[];
  /** Every identifier that occurs in it. */
  readonly names: ReadonlySet<string>;
  /** Those that it declares or imports: variables, parameters, functions, classes and types. */
  readonly declared: ReadonlySet<string>;
}

/** The leaves of a whole file. */
export function sourceOf(text: string): Source {
  const file = parse(text);
  const leaves: Leaf[] = [];
  const declared = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    if (ts.isIdentifier(node) && isDeclaration(node)) declared.add(node.text);
    const children = node.getChildren(file);
    if (children.length > 0) {
      children.forEach(visit);
      return;
    }
    const start = node.getStart(file);
    if (node.end > start) leaves.push(...leavesOf(node, text.slice(start, node.end), start));
  };
  visit(file);
  const names = new Set(leaves.filter(({ isName }) => isName).map((leaf) => leaf.text));
  return { text, leaves, names, declared };
}

const isDeclaration = (node: ts.Identifier): boolean =>
  'name' in node.parent && node.parent.name === node && rolesOf(node).includes('binding');

function leavesOf(node: ts.Node, text: string, start: number): Leaf[] {
  const isName = ts.isIdentifier(node) || ts.isPrivateIdentifier(node);
  if (!text.startsWith('>'))
    return [{ text, start, end: start + text.length, isName, roles: isName ? rolesOf(node) : [] }];
  // A fragment has no parser that knows whether `>>` closes two lists of types or shifts.
  return Array.from(text, (sign, index) => ({
    text: sign,
    start: start + index,
    end: start + index + 1,
    isName,
    roles: [],
  }));
}

function rolesOf(node: ts.Identifier | ts.PrivateIdentifier): readonly Role[] {
  const { parent } = node;
  if (isShorthand(node)) return ['property', 'binding'];
  if (ts.isPropertyAccessExpression(parent)) return [parent.name === node ? 'property' : 'binding'];
  if (ts.isQualifiedName(parent)) return [parent.right === node ? 'property' : 'binding'];
  if (isRenaming(parent)) return [parent.propertyName === node ? 'property' : 'binding'];
  return [isMember(parent) && parent.name === node ? 'property' : 'binding'];
}

/** Whether one word is a property and a variable, as in `{ a }`, `import { a }` and `constructor(readonly a)`. */
function isShorthand(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isShorthandPropertyAssignment(parent)) return parent.name === node;
  if (ts.isParameter(parent)) return parent.name === node && ts.isParameterPropertyDeclaration(parent, parent.parent);
  if (!isRenaming(parent) || parent.propertyName !== undefined || parent.name !== node) return false;
  return !ts.isBindingElement(parent) || (ts.isObjectBindingPattern(parent.parent) && !parent.dotDotDotToken);
}

const isRenaming = (node: ts.Node): node is ts.BindingElement | ts.ImportSpecifier | ts.ExportSpecifier =>
  ts.isBindingElement(node) || ts.isImportSpecifier(node) || ts.isExportSpecifier(node);

const isMember = (node: ts.Node): node is ts.PropertyAssignment | ts.ClassElement | ts.TypeElement | ts.EnumMember =>
  ts.isPropertyAssignment(node) || ts.isClassElement(node) || ts.isTypeElement(node) || ts.isEnumMember(node);

const parse = (text: string): ts.SourceFile => ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);

/** What the parser says about a text that is no program. */
export const errorsOf = (text: string): readonly string[] =>
  // The parser's own list; no public function gives it without a whole program.
  (parse(text) as unknown as { readonly parseDiagnostics: readonly ts.Diagnostic[] }).parseDiagnostics.map(
    ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'),
  );
