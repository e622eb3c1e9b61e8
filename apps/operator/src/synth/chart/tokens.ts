// Strings that stand for values while the constructs are synthesized, and the template expressions that they become.

/** What stands for a value inside of other strings. Each is a string that every option takes, and that nothing else is called by. */
export const tokens = {
  name: 'chart-value-name',
  namespace: 'chart-value-own',
  leaseName: 'chart-value-lease',
  /** One of the watched namespaces. */
  each: 'chart-value-each',
  reserved: 'chart-value-reserved',
  configMap: 'chart-value-configmap',
  runbooks: 'chart-value-runbooks',
} as const;

/** What is written for each inside of a quoted string; their patterns in the schema let no quotes in. */
const expressions: Readonly<Record<string, string>> = {
  [tokens.name]: '{{ $.Values.name }}',
  [tokens.namespace]: '{{ $.Release.Namespace }}',
  [tokens.leaseName]: '{{ default $.Values.name $.Values.leaseName }}',
  [tokens.each]: '{{ . }}',
  [tokens.configMap]: '{{ $.Values.webhookClients.configMap }}',
  [tokens.runbooks]: '{{ $.Values.runbooks }}',
};

/** A whole value of a template. */
interface Hole {
  /** It prints JSON on one line. */
  readonly expression: string;
  /** The condition under which its key is there; always by default. */
  readonly when?: string;
}

/** The whole values of a manifest, by the string that stands for each in it: `chart-hole-` and a word. */
export type Holes = Readonly<Record<string, Hole>>;

/** Whether a string has anything in it that a template fills in. */
export const isOpen = (text: string): boolean => Object.keys(expressions).some((token) => text.includes(token));

/** The text of a manifest as a template: braces of its own are kept from Helm, and what stands for values becomes expressions. */
export function filledIn(text: string, holes: Holes = {}): string {
  let filled = text.replaceAll('{{', '{{ "{{" }}');
  for (const [token, expression] of Object.entries(expressions)) filled = filled.replaceAll(token, expression);
  return filled
    .split('\n')
    .map((line) => lineFilledIn(line, holes))
    .join('\n');
}

function lineFilledIn(line: string, holes: Holes): string {
  const [word] = /chart-hole-\w+$/.exec(line) ?? [];
  if (word === undefined) return line;
  const hole = holes[word];
  if (hole === undefined) throw new RangeError(`no expression is written for ${word}`);
  const filled = line.replace(word, () => hole.expression);
  return hole.when === undefined ? filled : `{{- if ${hole.when} }}\n${filled}\n{{- end }}`;
}
