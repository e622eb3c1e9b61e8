import type { Case } from '../case.ts';
import { applyCases } from './apply.ts';
import { changeCases } from './changes.ts';
import { coreVerbCases } from './core-verbs.ts';
import { definitionCases } from './definitions.ts';
import { deletionCases } from './deletion.ts';
import { lifetimeCases } from './lifetimes.ts';
import { permissionCases } from './permissions.ts';
import { protobufCases } from './protobuf.ts';
import { readingCases } from './reading.ts';
import { tableCases } from './tables.ts';
import { webhookCases } from './webhooks.ts';

/** All cases of the suite. */
export const allCases: readonly Case[] = [
  ...coreVerbCases,
  ...changeCases,
  ...applyCases,
  ...deletionCases,
  ...readingCases,
  ...definitionCases,
  ...permissionCases,
  ...lifetimeCases,
  ...protobufCases,
  ...webhookCases,
  ...tableCases,
];
