import { parse } from 'yaml';
import { withoutEmbedded } from './embedded.ts';
import type { Field, Schema } from './field.ts';
import { code, constraintsOf, fieldsBelow, isImmutable, rulesOf, typeOf } from './field.ts';

interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly description?: string;
  readonly priority?: number;
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: Schema };
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly versions: readonly Version[];
  };
}

/** A page of the reference. */
export interface Page {
  /** The file's name, without a folder. */
  readonly name: string;
  readonly kind: string;
  readonly text: string;
}

const kebab = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();

/** The reference page of a CRD. The same text gives the same page. */
export function pageOf(source: { readonly file: string; readonly text: string }): Page {
  const { spec } = parse(withoutEmbedded(source.text), { maxAliasCount: -1 }) as Definition; // A CRD of ours, which the API server accepts.
  const { kind } = spec.names;
  const sections = spec.versions.filter(({ served }) => served).flatMap((version) => versionSection(spec, version));
  const lines = [
    `<!-- Generated from ${source.file} by npm run codegen. Do not edit. -->`,
    '',
    `# ${kind}`,
    '',
    ...sections,
  ];
  return { name: `${kebab(kind)}.md`, kind, text: `${lines.join('\n').trimEnd()}\n` };
}

function versionSection({ group, scope, names }: Definition['spec'], version: Version): string[] {
  const { openAPIV3Schema: root } = version.schema;
  const { spec, status } = root.properties ?? {};
  const short = names.shortNames?.length ? `, short ${names.shortNames.map(code).join(', ')}` : '';
  const inCategories = names.categories?.length ? `, in ${names.categories.map(code).join(', ')}` : '';
  return [
    `\`apiVersion: ${group}/${version.name}\`, \`kind: ${names.kind}\`; ${scope.toLowerCase()}; ${code(names.plural)}${short}${inCategories}.`,
    '',
    ...(root.description === undefined ? [] : [root.description, '']),
    ...subresources(version),
    ...ruleList('The object as a whole:', root),
    ...(spec ? [`## Spec`, '', ...ruleList('The spec as a whole:', spec), ...table(fieldsBelow(spec, 'spec'))] : []),
    ...(status ? [`## Status`, '', ...table(fieldsBelow(status, 'status'))] : []),
    ...columns(version.additionalPrinterColumns ?? []),
  ];
}

function subresources({ subresources: has }: Version): string[] {
  const parts = [
    ...(has?.status ? ['`status`'] : []),
    ...(has?.scale ? [`\`scale\` (\`${has.scale.specReplicasPath}\`, \`${has.scale.statusReplicasPath}\`)`] : []),
  ];
  return parts.length === 0 ? [] : [`Subresources: ${parts.join(', ')}.`, ''];
}

function ruleList(title: string, schema: Schema): string[] {
  const rules = rulesOf(schema);
  return rules.length === 0 ? [] : [title, '', ...rules.map((rule) => `- ${escape(rule)}`), ''];
}

const escape = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;').trim();

function table(fields: readonly Field[]): string[] {
  return ['| field | type | default | what it is |', '|---|---|---|---|', ...fields.map(row), ''];
}

function row({ path, schema, required }: Field): string {
  const { default: initial, description = '' } = schema;
  const said = [
    escape(description),
    ...constraintsOf(schema).map((text) => `*${text}*`),
    ...(isImmutable(schema) ? ["*can't be changed*"] : []),
    ...rulesOf(schema).map((rule) => `*rule: ${escape(rule)}*`),
  ].filter((part) => part !== '');
  const type = `${typeOf(schema)}${required ? ', **required**' : ''}`;
  return `| ${code(path)} | ${type} | ${initial === undefined ? '' : code(JSON.stringify(initial))} | ${said.join('<br>')} |`;
}

function columns(shown: readonly PrinterColumn[]): string[] {
  if (shown.length === 0) return [];
  return [
    '## Columns of `kubectl get`',
    '',
    '| column | from | |',
    '|---|---|---|',
    ...shown.map(
      ({ name, jsonPath, priority = 0, description = '' }) =>
        `| ${name} | ${code(jsonPath)} | ${escape(description)}${priority > 0 ? ' (with `-o wide`)' : ''} |`,
    ),
    '',
  ];
}
