import type { Definition } from '../crd/definition.ts';
import type { KindModel } from '../model/kind.ts';
import { inputName, kindTypeName, moduleName } from '../model/name.ts';
import { banner } from './banner.ts';
import type { EmitOptions } from './options.ts';
import { foldedLiteral } from './folded.ts';
import { comment, stringLiteral } from './text.ts';
import { emitMember, firstSentence } from './types.ts';
import { validatorName } from './validator.ts';

/** The cdk8s construct of one version of a kind. */
export function emitConstruct(model: KindModel, options: EmitOptions): string {
  const { definition, version, name, props } = model;
  const apiVersion = `${definition.group}/${version.name}`;
  const required = props.some((member) => !member.optional);
  const { extension, typesFrom } = options;
  const own = `./${moduleName(model.definition.names.kind)}`;
  const validators = typesFrom === undefined ? `${own}.validator${extension}` : `${typesFrom}/validation`;
  const input = `types.${inputName(name)}`;
  // Written twice, because the compiler takes longer to infer them.
  const forms = `<${name}Props, ${input}>`;
  const metadata = `  /** Name, namespace, labels and so on. Without a name, cdk8s makes one of the construct's path. */\n  readonly metadata?: ${input}['metadata'];\n`;
  const index = model.open ? '  readonly [key: string]: unknown;\n' : '';
  return (
    `${banner([definition])}import * as base from '../../kubernetes-construct${extension}';\n` +
    `import type * as types from ${stringLiteral(typesFrom ?? own + extension)};\nimport * as validators from ${stringLiteral(validators)};\n\n` +
    `${comment([`What makes up ${article(name)} ${name}: its written form without apiVersion and kind.`])}export interface ${name}Props {\n${metadata}${props.map((member) => emitMember({ ...member, prose: firstSentence(member.prose), facts: [] })).join('')}${index}}\n\n` +
    `const kind: base.${required ? 'KindClass' : 'OptionalKindClass'}${forms} = /* @__PURE__ */ base.kindClass${forms}({\n` +
    `  apiVersion: '${apiVersion}',\n  kind: '${definition.names.kind}',\n  validator: validators.${validatorName(model)},\n${definition.scope === 'Cluster' ? '  clusterScoped: true,\n' : ''}});\n\n` +
    `${comment(kindDoc(model))}export class ${name} extends kind {}\n`
  );
}

/** `an` before a vowel, as it is spoken where the name begins with a word. */
const article = (name: string): string => (/^[AEIO](?![A-Z])|^U(?!ni|se|til|[A-Z])/.test(name) ? 'an' : 'a');

/** What the kind is, and that its version is deprecated where it is. */
function kindDoc(model: KindModel): string[] {
  const root = model.structures.find((structure) => structure.root);
  return root === undefined
    ? []
    : [root.prose.replaceAll('\0', ''), ...root.facts.filter((fact) => fact.startsWith('\0@deprecated'))];
}

/** The CustomResourceDefinition itself as a construct, for charts that install it. */
export function emitDefinitionConstruct(definition: Definition, options: EmitOptions): string {
  const name = `${kindTypeName(definition.names.kind)}Definition`;
  const resource = `${definition.names.plural}.${definition.group}`;
  const words = [
    `The CustomResourceDefinition ${resource} as a construct. Labels and annotations are added with \`metadata.addLabel\` and \`metadata.addAnnotation\`.`,
  ];
  return (
    `${banner([definition])}import * as base from '../kubernetes-construct${options.extension}';\n\n` +
    `const definition: base.DefinitionClass = /* @__PURE__ */ base.definitionClass(${foldedLiteral(installable(definition))});\n\n` +
    `${comment(words)}export class ${name} extends definition {}\n`
  );
}

/** The manifest without what a server wrote into it. */
function installable({ manifest }: Definition): Readonly<Record<string, unknown>> {
  const rest = Object.fromEntries(Object.entries(manifest).filter(([key]) => key !== 'status'));
  const metadata = Object.entries((manifest['metadata'] ?? {}) as Record<string, unknown>);
  return {
    ...rest,
    metadata: Object.fromEntries(metadata.filter(([key, value]) => value !== null && !serverWritten.has(key))),
  };
}

const serverWritten = new Set([
  'creationTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
]);
