import ts from 'typescript';

/** All texts that an expression can be, by its form and its type. Undefined where that is any text at all. */
export function textsOf(
  expression: ts.Expression | ts.ShorthandPropertyAssignment,
  checker: ts.TypeChecker,
): readonly string[] | undefined {
  if (ts.isShorthandPropertyAssignment(expression)) {
    // As narrowed at this place; of a constant with two literals only the symbol knows them.
    const here = textsOfType(checker.getTypeAtLocation(expression.name));
    const symbol = checker.getShorthandAssignmentValueSymbol(expression);
    return here ?? (symbol && textsOfType(checker.getTypeOfSymbolAtLocation(symbol, expression)));
  }
  if (ts.isConditionalExpression(expression)) {
    const [yes, no] = [textsOf(expression.whenTrue, checker), textsOf(expression.whenFalse, checker)];
    return yes && no && [...yes, ...no];
  }
  if (ts.isTemplateExpression(expression)) return textsOfTemplate(expression, checker);
  return textsOfType(checker.getTypeAtLocation(expression));
}

/** Each combination of what stands in the gaps. */
function textsOfTemplate(
  { head, templateSpans }: ts.TemplateExpression,
  checker: ts.TypeChecker,
): readonly string[] | undefined {
  let texts: readonly string[] = [head.text];
  for (const span of templateSpans) {
    const middle = textsOf(span.expression, checker);
    if (middle === undefined) return undefined;
    texts = texts.flatMap((before) => middle.map((text) => before + text + span.literal.text));
  }
  return texts;
}

function textsOfType(type: ts.Type): readonly string[] | undefined {
  const types = type.isUnion() ? type.types : [type];
  const texts = types.flatMap((each) => (each.isStringLiteral() ? [each.value] : []));
  return texts.length === types.length ? texts : undefined;
}
