import ts from 'typescript';

/** One token of a fragment of a program. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether it may be the name of something, and not a keyword. */
  readonly isName: boolean;
}

/** Words that the language reserves only in some places, and that change what stands beside them. */
const operators: ReadonlySet<string> = new Set([
  'as',
  'async',
  'await',
  'infer',
  'is',
  'keyof',
  'readonly',
  'satisfies',
]);

/** After these a slash begins no regular expression. */
const endsValue = (previous: ts.SyntaxKind | undefined): boolean =>
  previous !== undefined &&
  (previous === ts.SyntaxKind.CloseParenToken ||
    previous === ts.SyntaxKind.CloseBracketToken ||
    previous === ts.SyntaxKind.CloseBraceToken ||
    previous === ts.SyntaxKind.NumericLiteral ||
    previous === ts.SyntaxKind.StringLiteral ||
    previous === ts.SyntaxKind.ThisKeyword ||
    previous > ts.SyntaxKind.LastReservedWord ||
    previous === ts.SyntaxKind.Identifier);

/** The tokens of a fragment, however it is cut: one expression, several statements, or what stands between two of them. */
export function tokensOf(text: string): readonly Token[] {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, text);
  const tokens: Token[] = [];
  const braces: ('block' | 'template')[] = [];
  let previous: ts.SyntaxKind | undefined;
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (kind === ts.SyntaxKind.SlashToken && !endsValue(previous)) kind = scanner.reScanSlashToken();
    if (kind === ts.SyntaxKind.CloseBraceToken && braces.pop() === 'template') {
      kind = scanner.reScanTemplateToken(false);
      if (kind === ts.SyntaxKind.TemplateMiddle) braces.push('template');
    }
    if (kind === ts.SyntaxKind.TemplateHead) braces.push('template');
    if (kind === ts.SyntaxKind.OpenBraceToken) braces.push('block');
    const word = scanner.getTokenText();
    const isWord = kind >= ts.SyntaxKind.Identifier && /^[#\w$]/.test(word);
    const isReserved = kind >= ts.SyntaxKind.FirstReservedWord && kind <= ts.SyntaxKind.LastReservedWord;
    const isMember = previous === ts.SyntaxKind.DotToken || previous === ts.SyntaxKind.QuestionDotToken;
    const isName = isWord && (isMember || (!isReserved && !operators.has(word)));
    tokens.push({ text: word, start: scanner.getTokenStart(), end: scanner.getTokenEnd(), isName });
    previous = kind;
  }
  return tokens;
}
