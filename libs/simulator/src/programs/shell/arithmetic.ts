type Operation = (left: number, right: number) => number;

/** Operators by how strongly they bind, the weakest first. */
const levels: readonly Readonly<Record<string, Operation>>[] = [
  { '||': (left, right) => Number(left !== 0 || right !== 0) },
  { '&&': (left, right) => Number(left !== 0 && right !== 0) },
  { '==': (left, right) => Number(left === right), '!=': (left, right) => Number(left !== right) },
  {
    '<=': (left, right) => Number(left <= right),
    '>=': (left, right) => Number(left >= right),
    '<': (left, right) => Number(left < right),
    '>': (left, right) => Number(left > right),
  },
  { '+': (left, right) => left + right, '-': (left, right) => left - right },
  {
    '*': (left, right) => left * right,
    '/': (left, right) => Math.trunc(left / right),
    '%': (left, right) => left % right,
  },
];

/** The value of an arithmetic expression of the shell; undefined where it is none. Names are those of variables. */
export function arithmetic(expression: string, variable: (name: string) => string): number | undefined {
  const tokens = expression.match(/\d+|[A-Za-z_]\w*|\|\||&&|[=!<>]=|[-+*/%()<>]|\S/g) ?? [];
  let at = 0;
  const operand = (): number => {
    const token = tokens[at] ?? '';
    at += 1;
    if (token === '-') return -operand();
    if (token === '(') {
      const value = binary(0);
      return tokens[at++] === ')' ? value : NaN;
    }
    if (/^\d+$/.test(token)) return Number(token);
    return /^\w+$/.test(token) ? Number(variable(token) || '0') : NaN;
  };
  const binary = (level: number): number => {
    const operations = levels[level];
    if (operations === undefined) return operand();
    let value = binary(level + 1);
    for (let each = operations[tokens[at] ?? '']; each !== undefined; each = operations[tokens[at] ?? '']) {
      at += 1;
      value = each(value, binary(level + 1));
    }
    return value;
  };
  const value = binary(0);
  return at === tokens.length && Number.isFinite(value) ? value : undefined;
}
