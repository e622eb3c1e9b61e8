import { parser } from '@prometheus-io/lezer-promql';

type Tree = ReturnType<typeof parser.parse>;
type Node = Tree['topNode'];

/** What a query asks of one metric. */
export interface Asked {
  /** Its name, or a pattern of names. */
  readonly name: string;
  /** The labels that it is selected by or that results are grouped by, save those that the query makes itself. */
  readonly labels: readonly string[];
}

/** What a query in PromQL asks for. Throws where it is none. */
export function askedBy(query: string): readonly Asked[] {
  const text = (node: Node): string => query.slice(node.from, node.to);
  const root = parser.parse(query).topNode;
  const [wrong] = all(root).filter(({ type }) => type.isError);
  if (wrong) throw new SyntaxError(`not PromQL at ${wrong.from}: ${query}`);
  return named(root, 'VectorSelector').map((selector) => {
    const identifier = selector.getChild('Identifier');
    const matchers = named(selector, 'UnquotedLabelMatcher').map((matcher) => ({
      label: text(matcher.firstChild ?? matcher),
      value: text(matcher.lastChild ?? matcher).slice(1, -1),
    }));
    const name = identifier ? text(identifier) : (matchers.find(({ label }) => label === '__name__')?.value ?? '');
    const labels = matchers.map(({ label }) => label).filter((label) => label !== '__name__');
    return { name, labels: [...labels, ...groupings(selector, text)] };
  });
}

/** The labels that the aggregations around a selector group by, without those that `label_replace` makes on the way. */
function groupings(selector: Node, text: (node: Node) => string): readonly string[] {
  const made = new Set<string>();
  const labels: string[] = [];
  for (let node = selector.parent; node; node = node.parent) {
    if (node.name === 'FunctionCall' && text(node).startsWith('label_replace')) {
      const [label] = named(node, 'StringLiteral').filter((one) => one.parent?.name !== 'UnquotedLabelMatcher');
      if (label) made.add(text(label).slice(1, -1));
    }
    if (node.name !== 'AggregateExpr') continue;
    const modifier = node.getChild('AggregateModifier');
    const grouped = modifier ? named(modifier, 'LabelName').map(text) : [];
    labels.push(...grouped.filter((label) => !made.has(label)));
  }
  return labels;
}

function all(root: Node): readonly Node[] {
  const nodes: Node[] = [];
  root.cursor().iterate(({ node }) => void nodes.push(node));
  return nodes;
}

const named = (root: Node, name: string): readonly Node[] =>
  all(root).filter((node) => node.name === name && node.from >= root.from && node.to <= root.to);
