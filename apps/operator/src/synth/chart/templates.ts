import { systemNamespaces } from '@ordinal/constructs';
import { Document, visit } from 'yaml';
import { argsTemplate, deploymentHoles, furtherFlag, openDeployment } from './deployment.ts';
import { switchedManifests, synthesized, type Manifest, type Switched } from './switches.ts';
import { filledIn, isOpen, tokens, type Holes } from './tokens.ts';

/** The files of the chart that make manifests, by their paths in it. */
export function templates(): Readonly<Record<string, string>> {
  const [whole, without] = [true, false].map((webhooks) => {
    const manifests = synthesized({
      webhooks,
      watchNamespaces: [tokens.each],
      flags: [furtherFlag],
      shard: tokens.name,
      shareWork: true,
    });
    const deployment = manifests.get('deployment');
    if (deployment === undefined) throw new RangeError('the installation has no Deployment');
    return deployment;
  }) as [Manifest, Manifest];
  const holes = { ...listHoles, ...deploymentHoles(whole) };
  const files = switchedManifests(opened).map(
    (switched) => [fileOf(switched.id), templateOf(switched, holes)] as const,
  );
  return {
    'templates/_values.tpl': `${argsTemplate(eitherArgs(argsOf(whole), argsOf(without)))}\n${reservedTemplate}`,
    ...Object.fromEntries(files),
  };
}

const listHoles: Holes = {
  'chart-hole-watchNamespaces': { expression: '{{ toJson $.Values.watchNamespaces }}' },
  'chart-hole-reserved': { expression: '{{ include "ordinal.reserved" $ }}' },
};

/** As `reservedNamespaces` of the constructs has it. */
const reservedTemplate = `{{- define "ordinal.reserved" -}}
{{- $given := default (list ${systemNamespaces.map((name) => JSON.stringify(name)).join(' ')}) .Values.reservedNamespaces -}}
{{- $reserved := append $given .Release.Namespace | uniq -}}
{{- range .Values.watchNamespaces }}{{ $reserved = without $reserved . }}{{ end -}}
{{- sortAlpha $reserved | toJson -}}
{{- end -}}
`;

/** Where no namespace is reserved, there is nothing to refuse. */
const anyReserved = 'ne (include "ordinal.reserved" $) "[]"';
const otherGuards: Readonly<Record<string, string>> = {
  'reserved-namespaces-policy': anyReserved,
  'reserved-namespaces-policy-binding': anyReserved,
};

const argsOf = (deployment: Manifest): readonly string[] =>
  (deployment as Manifest & { spec: { template: { spec: { containers: [{ args: string[] }] } } } }).spec.template.spec
    .containers[0].args;

/** What one of both has, in its place. */
const eitherArgs = (args: readonly string[], others: readonly string[]): readonly string[] =>
  others.reduce<readonly string[]>((all, arg, index) => (all.includes(arg) ? all : all.toSpliced(index, 0, arg)), args);

const fileOf = (id: string): string => `templates/${id.replaceAll('chart-value-', '')}.yaml`;

/** The manifest with what stands for values that are no part of a name. */
function opened(id: string, manifest: Manifest): Manifest {
  return withLists(id === 'deployment' ? openDeployment(manifest) : manifest) as Manifest;
}

function withLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.includes(tokens.each)) return 'chart-hole-watchNamespaces';
    return value.includes(tokens.reserved) ? 'chart-hole-reserved' : value.map(withLists);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withLists(part)]));
}

function templateOf({ id, guards, forms }: Switched, holes: Holes): string {
  const [first, ...others] = forms.map(({ when, manifest }) => ({ when, text: textOf(manifest, holes) }));
  if (first === undefined) throw new RangeError(`${id} has no form`);
  const chosen = others.map(({ when, text }) => `{{- else if ${when} }}\n${text}`).join('');
  const body = others.length === 0 ? first.text : `{{- if ${first.when} }}\n${first.text}${chosen}{{- end }}\n`;
  const isRepeated = forms.some(({ manifest }) => manifest.metadata.namespace === tokens.each);
  const repeated = isRepeated ? `{{- range $.Values.watchNamespaces }}\n---\n${body}{{- end }}\n` : body;
  const all = [...guards, ...(otherGuards[id] ? [otherGuards[id]] : [])];
  return all.length === 0 ? repeated : `{{- if ${allOf(all)} }}\n${repeated}{{- end }}\n`;
}

const allOf = ([first = '', ...more]: readonly string[]): string =>
  more.length === 0 ? first : `and ${[first, ...more].map((when) => `(${when})`).join(' ')}`;

function textOf(manifest: Manifest, holes: Holes): string {
  if (manifest.kind === 'CustomResourceDefinition') return definitionText(manifest);
  const document = new Document(manifest);
  visit(document, {
    Scalar(_key, node) {
      // Else a name such as `null` would be no string any more.
      if (typeof node.value === 'string' && isOpen(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return filledIn(document.toString({ lineWidth: 0, indentSeq: true }), holes);
}

/**
 * A definition on one line. Helm keeps the templates and what it made of them in a Secret, which holds 1 MiB: indented, the definitions alone nearly fill it.
 * An uninstall keeps it, for with it would go all resources of its kind; an upgrade upgrades it, since it is a template and not in the folder `crds`.
 */
function definitionText(manifest: Manifest): string {
  const annotations = { 'helm.sh/resource-policy': 'keep' };
  return filledIn(`${JSON.stringify({ ...manifest, metadata: { ...manifest.metadata, annotations } })}\n`);
}
