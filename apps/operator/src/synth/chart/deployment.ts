import { operatorName } from '@ordinal/constructs';
import { filledIn, type Holes } from './tokens.ts';
import type { Manifest } from './switches.ts';

interface Deployment extends Manifest {
  readonly spec: { readonly template: { readonly spec: PodSpec } };
}

interface PodSpec {
  readonly volumes?: unknown;
  readonly containers: readonly [{ readonly args: readonly string[]; readonly volumeMounts?: unknown }];
}

/** The program's flags: when each is given and, where a value of the chart follows it, which. Every other flag is the construct's, as it is. */
const flags: Readonly<Record<string, { readonly when: string; readonly value?: string }>> = {
  '--webhook-shutdown-delay': { when: '.Values.webhooks' },
  '--installation': { when: `ne .Values.name "${operatorName}"`, value: '.Values.name' },
  '--namespaces': { when: '.Values.watchNamespaces', value: 'join "," .Values.watchNamespaces' },
  '--reserved-namespaces': { when: '.Values.reservedNamespaces', value: 'join "," .Values.reservedNamespaces' },
  '--webhooks': { when: 'not .Values.webhooks' },
  '--share-work': { when: '.Values.shareWork' },
  '--lease-name': { when: '.Values.leaseName', value: '.Values.leaseName' },
  '--shard': { when: '.Values.shard', value: '.Values.shard' },
  '--webhook-client-ca': { when: '.Values.webhookClients' },
  '--webhook-client-names': {
    when: 'and .Values.webhookClients .Values.webhookClients.names',
    value: 'join "," .Values.webhookClients.names',
  },
};

/** Stands for the further flags among the others. */
export const furtherFlag = '--chart-value-flags';

/** A named template that prints the arguments of the program as JSON. */
export function argsTemplate(args: readonly string[]): string {
  const lines = args.map((arg) => {
    if (arg === furtherFlag) return '{{- $args = concat $args .Values.flags -}}';
    const [flag = ''] = arg.split('=');
    const known = flags[flag];
    if (known === undefined) throw new RangeError(`when the chart gives ${flag} is not written`);
    const text = known.value === undefined ? JSON.stringify(arg) : `(printf "${flag}=%s" (${known.value}))`;
    return `{{- if ${known.when} }}{{ $args = append $args ${text} }}{{ end -}}`;
  });
  return [
    '{{- define "ordinal.args" -}}',
    '{{- $args := list -}}',
    ...lines,
    '{{- toJson $args -}}',
    '{{- end -}}',
    '',
  ].join('\n');
}

/** The Deployment with what stands for its values, which are not among what the constructs take as names. */
export function openDeployment(manifest: Manifest): Manifest {
  const { spec, ...rest } = structuredClone(manifest) as Deployment;
  const { containers, ...pod } = spec.template.spec;
  const [container] = containers;
  const opened = {
    ...rest,
    spec: {
      ...spec,
      replicas: 'chart-hole-replicas',
      template: {
        ...spec.template,
        spec: {
          ...pod,
          imagePullSecrets: 'chart-hole-imagePullSecrets',
          nodeSelector: 'chart-hole-nodeSelector',
          tolerations: 'chart-hole-tolerations',
          priorityClassName: 'chart-hole-priorityClassName',
          volumes: 'chart-hole-volumes',
          containers: [
            {
              ...container,
              image: 'chart-hole-image',
              imagePullPolicy: 'chart-hole-imagePullPolicy',
              args: 'chart-hole-args',
              volumeMounts: 'chart-hole-volumeMounts',
              resources: { requests: 'chart-hole-requests', limits: 'chart-hole-limits' },
            },
          ],
        },
      },
    },
  };
  return opened;
}

/** What the Deployment's values are in a template. Its volumes are the construct's own. */
export function deploymentHoles(manifest: Manifest): Holes {
  const { volumes, containers } = (manifest as Deployment).spec.template.spec;
  const value = (name: string) => ({ expression: `{{ toJson $.Values.${name} }}` });
  const optional = (name: string) => ({ ...value(name), when: `$.Values.${name}` });
  const ofClients = (part: unknown) => ({
    expression: filledIn(JSON.stringify(part)),
    when: '$.Values.webhookClients',
  });
  const secrets =
    '[{{ range $index, $name := $.Values.imagePullSecrets }}{{ if $index }}, {{ end }}{"name": {{ toJson $name }}}{{ end }}]';
  return {
    'chart-hole-args': { expression: '{{ include "ordinal.args" $ }}' },
    'chart-hole-image': {
      expression: '{{ default (printf "docker.io/ordinal/operator:%s" $.Chart.AppVersion) $.Values.image | toJson }}',
    },
    'chart-hole-imagePullPolicy': value('imagePullPolicy'),
    'chart-hole-replicas': value('replicas'),
    'chart-hole-requests': value('requests'),
    'chart-hole-limits': value('limits'),
    'chart-hole-nodeSelector': optional('nodeSelector'),
    'chart-hole-tolerations': optional('tolerations'),
    'chart-hole-priorityClassName': optional('priorityClassName'),
    'chart-hole-imagePullSecrets': { expression: secrets, when: '$.Values.imagePullSecrets' },
    'chart-hole-volumes': ofClients(volumes),
    'chart-hole-volumeMounts': ofClients(containers[0].volumeMounts),
  };
}
