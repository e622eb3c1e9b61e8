import type { Member } from '../model/shape.ts';
import type { KindModel, Structure } from '../model/kind.ts';
import { comment, fill, lineWidth, propertyKey, stringLiteral } from './text.ts';

/** The interfaces of one version of a kind, and the aliases by which equal structures go elsewhere. `fileOf` says where another module is. */
export function emitTypes(model: KindModel, fileOf: (module: string) => string): string {
  return model.structures.map(emitStructure).join('\n') + emitAliases(model, fileOf);
}

function emitStructure(structure: Structure): string {
  const { name, base, members, rest, root } = structure;
  const index = rest === undefined ? '' : `  readonly [key: string]: ${rest};\n`;
  const body = members.map(emitMember).join('') + index;
  const doc = root ? docOf(structure) : [firstSentence(structure.prose)];
  const head = `export interface ${name}${base === undefined ? '' : ` extends ${base}`}`;
  return `${comment(doc)}${head} {${body === '' ? '' : `\n${body}`}}\n`;
}

/** The properties that hold a structure have its whole text; the structure itself is introduced by one sentence. */
export function firstSentence(prose: string): string {
  const paragraph =
    words(prose)
      .trim()
      .split(/\n\s*\n/)[0] ?? '';
  const text = paragraph.replace(/\s+/g, ' ');
  const end = /[.!?](?=\s+[A-Z])/.exec(text);
  const sentence = end === null ? text : text.slice(0, end.index + 1);
  return sentence.length > lineWidth - 7 ? '' : sentence;
}

/** One property with its docstring. */
export function emitMember(member: Member): string {
  const head = `  readonly ${propertyKey(member.key)}${member.optional ? '?' : ''}: `;
  return `${comment(docOf(member), '  ')}${head}${breakUnion(member.type.text, head.length)};\n`;
}

/**
 * Words first, then facts, then tags, as JSDoc reads them. Facts go on where the words end, unless those end in a list or the like. A `\0` marks a tag:
 * words from a CRD are cleared of it.
 */
function docOf({ prose, facts }: Pick<Member, 'prose' | 'facts'>): string[] {
  const tags = facts.filter((fact) => fact.startsWith('\0'));
  const said = facts.filter((fact) => !fact.startsWith('\0')).map(words);
  const text = words(prose).trim();
  const plain = /[.!?]$/.test(text) && !/(?:^|\n)(?:\s|[-*+#>|]|\d+[.)]\s|```)[^\n]*$/.test(text);
  const paragraphs = plain ? [[text, ...said].join(' ')] : [text, said.join(' ')];
  return [...paragraphs, ...tags].filter((paragraph) => paragraph !== '');
}

const words = (text: string): string => text.replaceAll('\0', '');

function breakUnion(text: string, start: number): string {
  if (start + text.length < lineWidth || !text.includes("' | '")) return text;
  return fill(text.split(/ \| (?=')/), ' | ', { indent: '    ', start });
}

/** One statement for each structure, however many other names it has. */
function emitAliases({ structures, borrowed }: KindModel, fileOf: (module: string) => string): string {
  const own = structures.map(({ name, aliases }) => exportTypes(name, aliases));
  const foreign = [...Map.groupBy(borrowed, ({ module }) => module)].map(([module, list]) => {
    const specifiers = list.flatMap(({ name, aliases }) => aliases.map((alias) => specifier(name, alias)));
    return `export type {\n  ${fill(specifiers, ', ', { indent: '  ' })},\n} from ${stringLiteral(fileOf(module))};\n`;
  });
  const statements = [...own, ...foreign].join('');
  const note =
    '// Structures that are equal are declared once. Each place has its own name for them, which does not change.';
  return statements === '' ? '' : `\n${note}\n${statements}`;
}

const specifier = (name: string, alias: string): string => (alias === name ? name : `${name} as ${alias}`);

function exportTypes(name: string, aliases: readonly string[]): string {
  return aliases.length === 0 ? '' : `export type { ${aliases.map((alias) => specifier(name, alias)).join(', ')} };\n`;
}
