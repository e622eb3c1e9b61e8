import { admissionPolicyBindingRules, admissionPolicyRules } from './admission-policies.ts';
import { certificateRequestRules } from './certificates.ts';
import { cronJobRules } from './cron-jobs.ts';
import { claimRules, configMapRules, namespaceRules, secretRules, serviceRules, volumeRules } from './core.ts';
import { daemonSetRules } from './daemon-sets.ts';
import { jobRules } from './jobs.ts';
import { deviceClassRules, resourceClaimRules, resourceClaimTemplateRules, resourceSliceRules } from './devices.ts';
import { flowSchemaRules, priorityLevelRules } from './flow-control.ts';
import { limitRangeRules } from './limit-range.ts';
import { mutatingPolicyBindingRules, mutatingPolicyRules } from './mutating-policies.ts';
import { canonicalAddress, subdomain } from './names.ts';
import { podRules } from './pod.ts';
import { ephemeralRules, resizeRules } from './pod-subresources.ts';
import { priorityClassRules } from './priority-class.ts';
import {
  bindingRules,
  budgetRules,
  clusterRoleRules,
  leaseRules,
  roleRules,
  webhookConfigurationRules,
} from './policies.ts';
import { resourceQuotaRules } from './resource-quota.ts';
import type { KindRules } from './rules.ts';
import { deploymentRules, replicaSetRules, replicationControllerRules, statefulSetRules } from './workloads.ts';
import { definitionRules } from './definition.ts';

/** What is particular to built-in kinds, by where they are kept. */
const rules: Readonly<Record<string, KindRules>> = {
  pods: { ...podRules, subresources: { resize: resizeRules, ephemeralcontainers: ephemeralRules } },
  configmaps: configMapRules,
  secrets: secretRules,
  services: serviceRules,
  podtemplates: { generation: true, nameRule: subdomain },
  persistentvolumeclaims: claimRules,
  persistentvolumes: volumeRules,
  namespaces: namespaceRules,
  'statefulsets.apps': statefulSetRules,
  'deployments.apps': deploymentRules,
  'replicasets.apps': replicaSetRules,
  replicationcontrollers: replicationControllerRules,
  resourcequotas: resourceQuotaRules,
  limitranges: limitRangeRules,
  'daemonsets.apps': daemonSetRules,
  'jobs.batch': jobRules,
  'cronjobs.batch': cronJobRules,
  'poddisruptionbudgets.policy': budgetRules,
  'leases.coordination.k8s.io': leaseRules,
  'roles.rbac.authorization.k8s.io': roleRules,
  'clusterroles.rbac.authorization.k8s.io': clusterRoleRules,
  'rolebindings.rbac.authorization.k8s.io': bindingRules,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingRules,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurationRules,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurationRules,
  'validatingadmissionpolicies.admissionregistration.k8s.io': admissionPolicyRules,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': admissionPolicyBindingRules,
  'resourceclaims.resource.k8s.io': resourceClaimRules,
  'resourceclaimtemplates.resource.k8s.io': resourceClaimTemplateRules,
  'deviceclasses.resource.k8s.io': deviceClassRules,
  'resourceslices.resource.k8s.io': resourceSliceRules,
  'certificatesigningrequests.certificates.k8s.io': certificateRequestRules,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemaRules,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevelRules,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': mutatingPolicyRules,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': mutatingPolicyBindingRules,
  'priorityclasses.scheduling.k8s.io': priorityClassRules,
  'ipaddresses.networking.k8s.io': { nameRule: canonicalAddress },
  'customresourcedefinitions.apiextensions.k8s.io': definitionRules,
  'endpointslices.discovery.k8s.io': { generation: true, nameRule: subdomain, nullWhenEmpty: ['endpoints', 'ports'] },
  'ingresses.networking.k8s.io': { generation: true, nameRule: subdomain },
  'networkpolicies.networking.k8s.io': { generation: true, nameRule: subdomain },
};

/** The rules of a built-in kind. */
export function builtinRules(storage: string): KindRules {
  return rules[storage] ?? { nameRule: subdomain };
}
