import type { Member } from '../model/shape.ts';
import type { KindModel, Structure } from '../model/kind.ts';
import { comment, fill, lineWidth, propertyKey } from './text.ts';

/** The interfaces of one kind and the aliases by which equal structures go elsewhere. */
export function emitTypes(model: KindModel): string {
  const aliases = model.structures.flatMap(({ name, aliases }) => aliases.map((alias) => `${name} as ${alias}`));
  return model.structures.map(emitStructure).join('\n') + emitAliases(aliases);
}

function emitStructure(structure: Structure): string {
  const { name, members, rest, prose, facts } = structure;
  const index = rest === undefined ? '' : `  readonly [key: string]: ${rest};\n`;
  return `${comment(docOf({ prose, facts }))}export interface ${name} {\n${members.map(emitMember).join('')}${index}}\n`;
}

/** One property with its docstring. */
export function emitMember(member: Member): string {
  const head = `  readonly ${propertyKey(member.key)}${member.optional ? '?' : ''}: `;
  return `${comment(docOf(member), '  ')}${head}${breakUnion(member.type.text, head.length)};\n`;
}

/** Words first, then facts, then tags, as JSDoc reads them. A `\0` marks a tag, which no text from a CRD can pass for. */
function docOf({ prose, facts }: Pick<Member, 'prose' | 'facts'>): string[] {
  return [prose, ...facts].filter((paragraph) => paragraph.trim() !== '');
}

function breakUnion(text: string, start: number): string {
  if (start + text.length < lineWidth || !text.includes("' | '")) return text;
  return fill(text.split(/ \| (?=')/), ' | ', { indent: '    ', start });
}

function emitAliases(aliases: readonly string[]): string {
  if (aliases.length === 0) return '';
  return `\n/* Structures that are equal are declared once, above; each place has its own name for them. */\nexport type {\n  ${fill(aliases, ', ', { indent: '  ' })},\n};\n`;
}
