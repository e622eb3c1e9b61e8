import { stringify } from 'yaml';
import { structuralSchema } from './structural.ts';
import type { PublishedSchemas } from './published.ts';

const begin = /^(?<indent> *)# embedded: (?<name>[\w.-]+)(?<overlay> overlay)?\s*$/;
const endText = '# embedded ends here';

/** A marker that can't be followed. `line` counts from 1. */
export class MarkerError extends Error {
  override readonly name = 'MarkerError';
  readonly line: number;

  constructor(line: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.line = line;
  }
}

/**
 * The YAML with the content of each marked subtree written again. What stands outside the markers comes back byte for byte. A marker without an end gets
 * one directly after its content.
 *
 * @throws MarkerError for an unknown type, an end without a beginning, or a beginning inside another.
 */
export function embedSchemas(yaml: string, published: PublishedSchemas): string {
  const lines = yaml.split('\n');
  const output: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    output.push(line);
    if (line.trim() === endText) throw new MarkerError(index + 1, `"${endText}" has no "# embedded:" above it`);
    const marker = begin.exec(line)?.groups;
    if (marker === undefined) continue;
    const indent = marker['indent'] ?? '';
    output.push(
      ...content({
        name: marker['name'] ?? '',
        overlay: marker['overlay'] !== undefined,
        indent,
        line: index + 1,
        published,
      }),
    );
    output.push(`${indent}${endText}`);
    index = endOf(lines, index, indent) ?? index;
  }
  return output.join('\n');
}

/** The index of the marker's end, or undefined where it has none yet. */
function endOf(lines: readonly string[], start: number, indent: string): number | undefined {
  for (let index = start + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line === `${indent}${endText}`) return index;
    if (begin.test(line)) return undefined;
    if (line.trim() !== '' && !line.startsWith(indent)) return undefined;
  }
  return undefined;
}

function content(marker: {
  readonly name: string;
  readonly overlay: boolean;
  readonly indent: string;
  readonly line: number;
  readonly published: PublishedSchemas;
}): string[] {
  try {
    const schema = structuralSchema(marker.published, marker.name, { overlay: marker.overlay });
    const text = stringify(schema, { lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false }).trimEnd();
    return text.split('\n').map((line) => (line === '' ? line : `${marker.indent}${line}`));
  } catch (cause) {
    throw new MarkerError(marker.line, cause instanceof Error ? cause.message : String(cause), cause);
  }
}
