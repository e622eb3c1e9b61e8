import { valuesSchema } from '@ordinal/constructs';
import { stringify } from 'yaml';

const width = 100;

/** `values.yaml` of the chart: every value with what it is for, and its default or an example. */
export function valuesYaml(): string {
  const entries = Object.entries(valuesSchema.properties).map(([name, { description, default: value, examples }]) => {
    const isSet = value !== undefined;
    const [example] = examples ?? [];
    const text = stringify({ [name]: isSet ? value : example }, { lineWidth: 0 });
    return `${comment(description)}\n${isSet ? text : commentedOut(text)}`;
  });
  return `# The values of the Ordinal operator. A wrong one is refused: values.schema.json has what each may be.\n\n${entries.join('\n')}`;
}

const commentedOut = (text: string): string => text.replace(/^(?=.)/gm, '# ');

function comment(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(` ${word}`);
  }
  return lines.map((line) => `#${line}`).join('\n');
}

/** `values.schema.json` of the chart: the schema of the options. Helm adds `global` where the chart is part of another one. */
export function valuesSchemaJson(): string {
  const { properties, ...schema } = valuesSchema;
  const global = {
    description: 'What a chart that this one is part of gives to all of its parts. Not used here.',
    type: 'object',
  };
  return `${JSON.stringify({ ...schema, properties: { ...properties, global } }, null, 2)}\n`;
}
