import type { Case } from '../case.ts';
import { accountTokenCases } from './account-tokens.ts';
import { addressCases } from './addresses.ts';
import { admissionPolicyCases } from './admission-policies.ts';
import { admissionCases } from './admission.ts';
import { applyCases } from './apply.ts';
import { appliedWidgetCases } from './applied-widgets.ts';
import { changeCases } from './changes.ts';
import { conversionCases } from './conversions.ts';
import { coreVerbCases } from './core-verbs.ts';
import { definitionCases } from './definitions.ts';
import { deletionCases } from './deletion.ts';
import { lifetimeCases } from './lifetimes.ts';
import { malformedCases } from './malformed.ts';
import { cronJobCases } from './cron-jobs.ts';
import { controlPlaneCases } from './control-plane.ts';
import { daemonSetCases } from './daemon-sets.ts';
import { jobCases } from './jobs.ts';
import { limitRangeCases } from './limit-ranges.ts';
import { mutatingPolicyCases } from './mutating-policies.ts';
import { ownNameCases } from './own-names.ts';
import { patchCases } from './patches.ts';
import { deviceCases } from './devices.ts';
import { escalationCases } from './escalation.ts';
import { identityCases } from './identities.ts';
import { permissionCases } from './permissions.ts';
import { podChangeCases } from './pod-changes.ts';
import { protobufCases } from './protobuf.ts';
import { publishedCases } from './published.ts';
import { quotaCases } from './quotas.ts';
import { readingCases } from './reading.ts';
import { replicationControllerCases } from './replication-controllers.ts';
import { tableCases } from './tables.ts';
import { webhookCases } from './webhooks.ts';
import { widgetChangeCases } from './widget-changes.ts';

/** All cases of the suite. */
export const allCases: readonly Case[] = [
  ...coreVerbCases,
  ...changeCases,
  ...patchCases,
  ...applyCases,
  ...deletionCases,
  ...readingCases,
  ...definitionCases,
  ...admissionPolicyCases,
  ...mutatingPolicyCases,
  ...publishedCases,
  ...appliedWidgetCases,
  ...widgetChangeCases,
  ...permissionCases,
  ...identityCases,
  ...escalationCases,
  ...accountTokenCases,
  ...lifetimeCases,
  ...protobufCases,
  ...webhookCases,
  ...conversionCases,
  ...tableCases,
  ...malformedCases,
  ...addressCases,
  ...ownNameCases,
  ...admissionCases,
  ...replicationControllerCases,
  ...daemonSetCases,
  ...jobCases,
  ...cronJobCases,
  ...deviceCases,
  ...podChangeCases,
  ...controlPlaneCases,
  ...quotaCases,
  ...limitRangeCases,
];
