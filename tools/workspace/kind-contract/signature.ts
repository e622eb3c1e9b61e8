import ts from 'typescript';

/** A source file, by its path, as text. */
type Sources = Readonly<Record<string, string>>;

const parse = (text: string): ts.SourceFile => ts.createSourceFile('.ts', text, ts.ScriptTarget.Latest, true);

const isExported = (statement: ts.FunctionDeclaration): boolean =>
  ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;

/** The types that are `DecisionInputs` or extend it, by their declarations in these files. */
function inputTypes(sources: Sources): ReadonlySet<string> {
  const bases = Object.values(sources)
    .flatMap((text) => parse(text).statements.filter(ts.isInterfaceDeclaration))
    .map(({ name, heritageClauses = [] }) => ({
      name: name.text,
      extended: heritageClauses.flatMap(({ types }) => types.map(({ expression }) => expression.getText())),
    }));
  return new Set([
    'DecisionInputs',
    ...bases.filter(({ extended }) => extended.includes('DecisionInputs')).map(({ name }) => name),
  ]);
}

/**
 * What keeps the decision of a kind from being `decide(observation, inputs)`; empty where it is. The decision is the first function that `decide.ts` exports. Pure: it takes
 * the files of the kind as text.
 */
export function signatureFaults(sources: Sources): readonly string[] {
  const functions = parse(sources['decide.ts'] ?? '').statements.filter(ts.isFunctionDeclaration);
  const decide = functions.find(isExported);
  if (decide?.name === undefined) return ['decide.ts exports no function'];
  const name = decide.name.text;
  const [observation, inputs, ...others] = decide.parameters.map(({ type }) => type?.getText() ?? '');
  return [
    ...(name.startsWith('decide') ? [] : [`${name} is not called decide…`]),
    ...(observation?.endsWith('Observation') === true ? [] : [`${name} takes no observation first`]),
    ...(inputTypes(sources).has(inputs ?? '') ? [] : [`${name} takes no DecisionInputs second`]),
    ...(others.length === 0 ? [] : [`${name} takes more than an observation and inputs`]),
  ];
}
