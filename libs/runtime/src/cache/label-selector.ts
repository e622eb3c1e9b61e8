/** One requirement of a label selector. */
interface Requirement {
  readonly label: string;
  readonly operator: 'in' | 'notin' | 'exists' | 'missing';
  readonly values: readonly string[];
}

/** Whether labels satisfy a selector. */
export type LabelMatcher = (labels: Readonly<Record<string, string>>) => boolean;

/**
 * Reads a label selector as the API server does: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, joined by commas. The empty
 * selector matches everything. Throws a `TypeError` for what is none of these.
 */
export function labelMatcher(selector: string): LabelMatcher {
  const requirements = parts(selector).map(requirement);
  return (labels) => requirements.every((one) => satisfies(one, labels[one.label]));
}

/** The parts between the commas that do not stand in parentheses. */
function parts(selector: string): string[] {
  const found: string[] = [];
  let [start, isInside] = [0, false];
  for (let at = 0; at <= selector.length; at += 1) {
    const character = selector[at];
    if (character === '(') isInside = true;
    else if (character === ')') isInside = false;
    else if (character === undefined || (character === ',' && !isInside)) {
      found.push(selector.slice(start, at));
      start = at + 1;
    }
  }
  return found.map((part) => part.trim()).filter((part) => part !== '');
}

function requirement(part: string): Requirement {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(part);
  if (set !== null) {
    const [, label = '', operator, list = ''] = set;
    return {
      label,
      operator: operator === 'in' ? 'in' : 'notin',
      values: list.split(',').map((value) => value.trim()),
    };
  }
  const pair = /^([^\s=!]+)\s*(==|=|!=)\s*([^\s=!]*)$/.exec(part);
  if (pair !== null) {
    const [, label = '', operator, value = ''] = pair;
    return { label, operator: operator === '!=' ? 'notin' : 'in', values: [value] };
  }
  const bare = /^(!?)\s*([^\s=!()]+)$/.exec(part);
  if (bare === null) throw new TypeError(`"${part}" is no requirement of a label selector`);
  return { label: bare[2] ?? '', operator: bare[1] === '!' ? 'missing' : 'exists', values: [] };
}

function satisfies(one: Requirement, value: string | undefined): boolean {
  switch (one.operator) {
    case 'exists':
      return value !== undefined;
    case 'missing':
      return value === undefined;
    case 'in':
      return value !== undefined && one.values.includes(value);
    case 'notin':
      return value === undefined || !one.values.includes(value);
  }
}
