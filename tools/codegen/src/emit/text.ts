/** A property key as TypeScript: bare where it can be, quoted otherwise. Never renamed. */
export function propertyKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) && key !== '__proto__' && key !== 'constructor' ? key : stringLiteral(key);
}

/** A string as a TypeScript literal, in the quotes that need fewer escapes. No text can end it early. */
export function stringLiteral(value: string): string {
  const double = JSON.stringify(value).replace(
    /[\u2028\u2029\u007f-\u009f]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  if (count(value, "'") > count(value, '"')) return double;
  return `'${double.slice(1, -1).replace(/\\(.)|'/g, (found, escaped?: string) => (escaped === '"' ? '"' : found === "'" ? "\\'" : found))}'`;
}

const count = (text: string, character: string): number => text.split(character).length - 1;

/** A JSON value as a TypeScript expression. `__proto__` stays a key. */
export function jsonLiteral(value: unknown): string {
  if (typeof value === 'string') return stringLiteral(value);
  if (Array.isArray(value)) return `[${value.map(jsonLiteral).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${key === '__proto__' ? "['__proto__']" : propertyKey(key)}: ${jsonLiteral(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** How wide a line of generated text may be. */
export const lineWidth = 160;

/**
 * A comment of these paragraphs, indented. Text from a CRD is hostile: nothing in it can end the comment or pass for a JSDoc tag. Empty for no text.
 */
export function comment(paragraphs: readonly string[], indent = ''): string {
  const lines = paragraphs
    .filter((paragraph) => paragraph.trim() !== '')
    .flatMap((paragraph) =>
      paragraph.startsWith('\0@') ? [tag(paragraph)] : reflow(safe(paragraph), lineWidth - indent.length - 3),
    );
  const [first] = lines;
  if (first === undefined) return '';
  if (lines.length === 1 && first.length + indent.length + 7 <= lineWidth) return `${indent}/** ${first} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

/** A tag of ours, marked with a leading `\0` that no text from a CRD keeps: `@default 3`. Its text is made harmless and stays on one line. */
const tag = (marked: string): string => {
  const [name = '', ...words] = marked.slice(1).split(' ');
  return `${name} ${safe(words.join(' ')).replace(/\s+/g, ' ')}`.trim();
};

/** Makes text harmless inside a comment: no end of comment, no tag, no inline tag, no control or bidirectional character. */
function safe(text: string): string {
  return (
    text
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      // eslint-disable-next-line no-control-regex -- control characters are what is taken out
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
      .replace(/\t/g, ' ')
      .replace(/\*\//g, '*\\/')
      .replace(/(^|[\s{(*])@/gm, '$1\\@')
  );
}

/** Joins the lines of a paragraph and breaks them again at the width; lists, tables, headings and indented text keep their lines. */
function reflow(text: string, width: number): string[] {
  const lines: string[] = [];
  let open = false;
  for (const raw of text.trim().split('\n')) {
    const line = raw.trimEnd();
    if (line === '') {
      if (lines.at(-1) !== '') lines.push('');
      open = false;
      continue;
    }
    const keeps = /^(?:\s|[-*+#>|]|\d+[.)]\s|```)/.test(line);
    const last = lines.at(-1);
    if (open && !keeps && last !== undefined) lines.pop();
    for (const part of wrap(open && !keeps && last !== undefined ? `${last} ${line}` : line, width)) lines.push(part);
    open = !keeps;
  }
  return lines;
}

function wrap(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const at = space > 0 && rest.slice(0, space).trim() !== '' ? space : rest.indexOf(' ', width);
    if (at === -1) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at + 1).trimStart();
  }
  return [...lines, rest];
}

/** Joins with a separator, broken into lines of at most the width, each continued with the indent. */
export function fill(
  parts: readonly string[],
  separator: string,
  options: { readonly indent: string; readonly start?: number },
): string {
  let column = options.start ?? options.indent.length;
  const lines: string[] = [];
  let line = '';
  parts.forEach((part, index) => {
    const piece = index === parts.length - 1 ? part : part + separator;
    if (index > 0 && column + piece.length > lineWidth) {
      lines.push(line.trimEnd());
      line = options.indent;
      column = options.indent.length;
    }
    line += piece;
    column += piece.length;
  });
  return [...lines, line].join('\n');
}
