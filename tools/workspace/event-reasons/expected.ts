import ts from 'typescript';

/** The matchers that a list without any element passes. */
const ofNone: ReadonlyMap<string, string | undefined> = new Map([
  ['toHaveLength', '0'],
  ['toBe', '0'],
  ['toEqual', '[]'],
  ['toBeUndefined', undefined],
]);

/**
 * The texts that a test file expects of events: those in an assertion that is about events, or in a constant about events that an assertion is about. What is
 * expected not to come, and lists that have to be empty, do not count.
 */
export function expectedTexts(name: string, text: string): ReadonlySet<string> {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const assertions = statementsOf(source).filter(isAssertion);
  const asserted = new Set(assertions.flatMap((statement) => identifiersIn(statement)));
  const found = new Set<string>();
  for (const statement of statementsOf(source)) {
    const isNamed = namesIn(statement).some((each) => asserted.has(each));
    if (!isAboutEvents(statement) || !(isNamed || assertions.includes(statement))) continue;
    for (const each of literalsIn(statement)) found.add(each);
  }
  return found;
}

/** The innermost statements: a block's own statements, and not the block. */
function statementsOf(source: ts.SourceFile): readonly ts.Statement[] {
  const found: ts.Statement[] = [];
  const visit = (node: ts.Node): void => {
    const isLeaf = ts.isVariableStatement(node) || ts.isExpressionStatement(node);
    if (isLeaf && !hasStatements(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const hasStatements = (node: ts.Node): boolean =>
  ts.forEachChild(node, (child) =>
    ts.isVariableStatement(child) || ts.isExpressionStatement(child) || hasStatements(child) ? true : undefined,
  ) ?? false;

function isAssertion(statement: ts.Statement): boolean {
  if (!ts.isExpressionStatement(statement)) return false;
  const { expression } = statement;
  const call = ts.isAwaitExpression(expression) ? expression.expression : expression;
  if (!ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return false;
  const matcher = call.expression.name.text;
  const subject = call.expression.expression.getText();
  if (!subject.startsWith('expect') || /\.not\b/.test(subject)) return false;
  return !ofNone.has(matcher) || ofNone.get(matcher) !== call.arguments[0]?.getText();
}

const isAboutEvents = (statement: ts.Statement): boolean =>
  identifiersIn(statement).some((name) => /events?$/i.test(name));

const namesIn = (statement: ts.Statement): readonly string[] =>
  ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
    : [];

const identifiersIn = (node: ts.Node): readonly string[] =>
  collect(node, (each) => (ts.isIdentifier(each) ? each.text : undefined));

/** The texts, with the words in them: `Warning UpgradeFailed` is one of `UpgradeFailed` too. */
const literalsIn = (node: ts.Node): readonly string[] =>
  collect(node, (each) => (ts.isStringLiteralLike(each) ? each.text : undefined)).flatMap((text) => text.split(/\W+/));

function collect(node: ts.Node, pick: (node: ts.Node) => string | undefined): readonly string[] {
  const own = pick(node);
  const found = own === undefined ? [] : [own];
  ts.forEachChild(node, (child) => void found.push(...collect(child, pick)));
  return found;
}
