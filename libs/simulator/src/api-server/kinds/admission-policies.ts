import { ComposedExpressions } from '@ordinal/schema/cel';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { duplicate, refused, required, unsupported, wrong } from './causes.ts';
import { compilationProblem, conditionCauses } from './match-conditions.ts';
import { pathSegment, subdomain } from './names.ts';
import type { KindRules } from './rules.ts';
import { items, part } from './spec.ts';

/** What the expressions of a policy may name. `authorizer` is left out here, and refused when the expression is asked. */
export const policyVariables = ['object', 'oldObject', 'request', 'params', 'namespaceObject', 'authorizer'];

/** What a list of names holds. */
export const names = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** A list that has to have entries, in which `*` stands alone. `what`: what the entries are. */
function listCauses(list: readonly string[], field: string, what: string): readonly FieldCause[] {
  if (list.length === 0) return [required(field)];
  return list.length > 1 && list.includes('*')
    ? [wrong(field, list, `if '*' is present, must not specify other ${what}`)]
    : [];
}

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

function ruleCauses(rule: JsonObject, field: string): readonly FieldCause[] {
  const resources = names(rule['resourceNames']);
  const asked = names(rule['operations']);
  return [
    ...resources.flatMap((name, index) => [
      ...pathSegment(name).map((message) => wrong(`${field}.resourceNames[${index}]`, name, message)),
      ...(resources.indexOf(name) < index ? [duplicate(`${field}.resourceNames[${index}]`, name)] : []),
    ]),
    ...listCauses(asked, `${field}.operations`, 'operations'),
    ...asked.flatMap((operation, index) =>
      operations.includes(operation) ? [] : [unsupported(`${field}.operations[${index}]`, operation, operations)],
    ),
    ...listCauses(names(rule['apiGroups']), `${field}.apiGroups`, 'API groups'),
    ...listCauses(names(rule['apiVersions']), `${field}.apiVersions`, 'API versions'),
    ...(names(rule['resources']).length === 0 ? [required(`${field}.resources`)] : []),
  ];
}

/** What is wrong with what a policy or binding looks at. */
export const matchCauses = (match: JsonObject, field: string): readonly FieldCause[] =>
  ['resourceRules', 'excludeResourceRules'].flatMap((list) =>
    items(match[list]).flatMap((rule, index) => ruleCauses(rule, `${field}.${list}[${index}]`)),
  );

/** What is wrong with an expression that has to be there. `missing`: what the server says where it is not. */
export function expressionCauses(
  value: unknown,
  field: string,
  { missing, messages = false }: { readonly missing: string; readonly messages?: boolean },
): readonly FieldCause[] {
  const expression = typeof value === 'string' ? value : '';
  if (expression.trim() === '') return [required(field, missing)];
  const problem = compilationProblem(
    () => new ComposedExpressions(policyVariables, [{ name: 'it', expression }], messages),
    expression,
  );
  return problem === undefined ? [] : [wrong(field, expression, `compilation failed: ${problem}`)];
}

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

function validationCauses(validation: JsonObject, field: string): readonly FieldCause[] {
  const { message, messageExpression, reason } = validation;
  return [
    ...expressionCauses(validation['expression'], `${field}.expression`, { missing: 'expression is not specified' }),
    ...(messageExpression === undefined
      ? []
      : String(messageExpression).trim() === ''
        ? [wrong(`${field}.messageExpression`, messageExpression, 'must be non-empty if specified')]
        : expressionCauses(messageExpression, `${field}.messageExpression`, { missing: '' })),
    ...(message !== undefined && String(message).trim() === ''
      ? [wrong(`${field}.message`, message, 'must be non-empty if specified')]
      : []),
    ...(String(message ?? '')
      .trim()
      .includes('\n')
      ? [wrong(`${field}.message`, message, 'must not contain line breaks')]
      : []),
    ...(reason === undefined || reasons.includes(String(reason))
      ? []
      : [unsupported(`${field}.reason`, reason, reasons)]),
  ];
}

/** What is wrong with a variable of a policy, which may be an object that it makes where `messages` says so. */
export function variableCauses(variable: JsonObject, field: string, messages = false): readonly FieldCause[] {
  const name = String(variable['name'] ?? '');
  return [
    ...(name.trim() === ''
      ? [required(`${field}.name`, 'name is not specified')]
      : /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)
        ? []
        : [wrong(`${field}.name`, name, 'must be a valid CEL identifier')]),
    ...expressionCauses(variable['expression'], `${field}.expression`, {
      missing: 'expression is not specified',
      messages,
    }),
  ];
}

/** What is wrong with each entry of a list of the spec. */
export const eachOf = (
  spec: JsonObject,
  list: string,
  causes: (entry: JsonObject, field: string) => readonly FieldCause[],
): readonly FieldCause[] => items(spec[list]).flatMap((entry, index) => causes(entry, `spec.${list}[${index}]`));

const oneOf = 'validations or auditAnnotations must contain at least one item';

/** What is particular to validating admission policies. */
export const admissionPolicyRules: KindRules = {
  generation: true,
  nameRule: subdomain,
  requiresVersion: true,
  validate: (object) => {
    const spec = part(object, 'spec');
    const { matchConstraints } = spec;
    const isEmpty = items(spec['validations']).length + items(spec['auditAnnotations']).length === 0;
    return [
      ...(matchConstraints === undefined
        ? [required('spec.matchConstraints')]
        : matchCauses(part(spec, 'matchConstraints'), 'spec.matchConstraints')),
      ...(matchConstraints !== undefined && items(part(spec, 'matchConstraints')['resourceRules']).length === 0
        ? [required('spec.matchConstraints.resourceRules')]
        : []),
      ...conditionCauses(items(spec['matchConditions']), 'spec.matchConditions'),
      ...eachOf(spec, 'variables', (variable, field) => variableCauses(variable, field)),
      ...(isEmpty ? [required('spec.validations', oneOf), required('spec.auditAnnotations', oneOf)] : []),
      ...eachOf(spec, 'validations', validationCauses),
      ...eachOf(spec, 'auditAnnotations', ({ valueExpression }, field) =>
        expressionCauses(valueExpression, `${field}.valueExpression`, { missing: 'valueExpression is not specified' }),
      ),
    ];
  },
};

const actions = ['Audit', 'Deny', 'Warn'];

function actionCauses(given: readonly string[], field: string): readonly FieldCause[] {
  return [
    ...given.flatMap((action, index) => [
      ...(actions.includes(action) ? [] : [unsupported(`${field}[${index}]`, action, actions)]),
      ...(given.indexOf(action) < index ? [duplicate(`${field}[${index}]`, action)] : []),
    ]),
    ...(given.includes('Deny') && given.includes('Warn')
      ? [
          wrong(
            field,
            given,
            'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
          ),
        ]
      : []),
    ...(given.length === 0 ? [required(field, 'at least one validation action is required')] : []),
  ];
}

/** What is wrong with what a binding gives its policy. */
export function paramCauses(spec: JsonObject): readonly FieldCause[] {
  if (spec['paramRef'] === undefined) return [];
  const { name = '', selector, parameterNotFoundAction } = part(spec, 'paramRef');
  const field = 'spec.paramRef';
  return [
    ...(name !== '' && selector !== undefined
      ? [`${field}.name`, `${field}.selector`].map((at) => refused(at, 'name and selector are mutually exclusive'))
      : []),
    ...(name === '' && selector === undefined ? [required(field, 'one of name or selector must be specified')] : []),
    ...(parameterNotFoundAction === undefined ? [required(`${field}.parameterNotFoundAction`)] : []),
  ];
}

/** What is particular to bindings of validating admission policies. */
export const admissionPolicyBindingRules: KindRules = {
  generation: true,
  nameRule: subdomain,
  requiresVersion: true,
  validate: (object) => {
    const spec = part(object, 'spec');
    return [
      ...(String(spec['policyName'] ?? '') === '' ? [required('spec.policyName')] : []),
      ...paramCauses(spec),
      ...matchCauses(part(spec, 'matchResources'), 'spec.matchResources'),
      ...actionCauses(names(spec['validationActions']), 'spec.validationActions'),
    ];
  },
};
