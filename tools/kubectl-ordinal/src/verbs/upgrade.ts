import { annotations } from '../annotations.ts';
import type { Facts } from '../status/facts.ts';
import type { Decide, Seen } from './intent.ts';
import { annotate, annotationOf, refuse } from './intent.ts';

const steps = 'see kubectl ordinal status';

function noUpgrade({ resource, facts }: Seen): string | undefined {
  const { upgrade } = facts;
  if (resource.kind === 'CloudDatabase') return 'a CloudDatabase has no upgrades';
  if (upgrade === undefined) return 'there is no upgrade under way';
  return upgrade.step === 'Failed' ? 'the upgrade has failed already' : undefined;
}

/** Lets the other members follow canaries that wait for a person. */
export const promote: Decide = (seen) => {
  const none = noUpgrade(seen);
  if (none !== undefined) return refuse(none);
  const { step = '', revision, release = '', updated = 0 } = seen.facts.upgrade ?? {};
  if (step !== 'AwaitingPromotion')
    return refuse(`no canary waits for a promotion: the upgrade is at step ${step} (${steps})`);
  const value = /ordinal\.dev\/promote=(\S+)/.exec(release)?.[1] ?? revision;
  if (value === undefined) return refuse('the status does not name the upgrade');
  return {
    does: `lets the upgrade go on: the members after the ${updated} that run it are replaced`,
    patch: annotate({ [annotations.promote]: value }),
  };
};

/** Ends an upgrade. */
export const abort: Decide = (seen) => {
  const none = noUpgrade(seen);
  if (none !== undefined) return refuse(none);
  const { resource, facts } = seen;
  const { revision } = facts.upgrade ?? {};
  if (revision === undefined) return refuse('the status does not name the upgrade');
  if (annotationOf(resource, annotations.abort) === revision) return refuse('its end is asked for already');
  const stops = resource.kind !== 'CloudDatabase' && resource.spec.upgrade?.onFailure !== 'Rollback';
  const isStore = resource.kind === 'KVStoreCluster';
  const what =
    stops && !(isStore && resource.spec.upgrade === undefined)
      ? 'members stay as they are (onFailure: Stop)'
      : 'members that have gone ahead go back to what ran';
  return {
    does: `ends the upgrade, which then has failed (Aborted): ${what}. A retry takes this back`,
    patch: annotate({ [annotations.abort]: revision }),
  };
};

/** The member UIDs that a command in the status, or in a condition, opens the gates of. */
function closedFor({ upgrade, conditions }: Facts): string | undefined {
  const texts = [upgrade?.release, ...conditions.map(({ message }) => message)];
  return texts
    .map((text) => /ordinal\.dev\/open-gates=([0-9a-f-]+)/.exec(text ?? '')?.[1])
    .find((uid) => uid !== undefined);
}

/** Opens the gates of one member, once. */
export const override: Decide<{ readonly member?: string | undefined }> = ({ resource, facts, around, options }) => {
  if (resource.kind === 'CloudDatabase') return refuse('a CloudDatabase has no gates');
  const { member: name } = options;
  const named = around.members.find((member) => member.name === name);
  const present = around.members.map(({ name: each }) => each).join(', ');
  if (name !== undefined && !named)
    return refuse(`${name} is no member: there are ${present === '' ? 'none' : present}`);
  const uid = named?.uid ?? closedFor(facts);
  if (uid === undefined)
    return refuse(
      'no gate is closed that the operator waits for. To open those of a member for a drain, name it with --member',
    );
  const open = (annotationOf(resource, annotations.openGates) ?? '').split(',').filter((each) => each !== '');
  if (open.includes(uid)) return refuse('its gates are open already');
  const isThere = (each: string): boolean => around.members.some((member) => member.uid === each);
  const pod = around.members.find((member) => member.uid === uid)?.name ?? uid;
  return {
    does: `opens the gates of ${pod} for this one time: it is taken down whatever they say, and what it alone holds may be lost`,
    patch: annotate({ [annotations.openGates]: [...open.filter(isThere), uid].join(',') }),
  };
};
