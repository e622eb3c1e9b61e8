import { retries } from '../annotations.ts';
import { isHookDone, isMended } from './hook-record.ts';
import { upgradeSteps } from './steps.ts';
import type { Goal, Upgradable } from './upgradable.ts';

/** A pod template, and what it is called. */
export interface Version<Template> {
  readonly template: Template;
  /** Its hash. */
  readonly revision: string;
  /** What it is called for people: its image. */
  readonly image: string | undefined;
}

/** The templates among which it is chosen what members run. */
export interface Versions<Template> {
  /** What the spec asks for. */
  readonly asked: Version<Template>;
  /** What the StatefulSet makes members of. */
  readonly running: Version<Template> | undefined;
  /** What the StatefulSet keeps beside it: what ran before the upgrade. */
  readonly kept: Version<Template> | undefined;
  /** What ran, made again from the status: the way back where the StatefulSet that kept it was deleted. */
  readonly former?: () => Version<Template> | undefined;
}

/** What the members should run. */
export interface WantedVersion<Template> extends Goal {
  readonly template: Template;
  /** What the StatefulSet makes new members of: the template, or, where that has failed and nothing is to be done about it, the one that ran before. */
  readonly made: Version<Template>;
  /** What the StatefulSet brings to keep from now on; undefined where it keeps what it does. */
  readonly leaving: Version<Template> | undefined;
}

/** Whether what has failed was left already: what members are brought to, or have all been brought to, is something else. */
const isLeft = ({ status }: Upgradable, failedRevision: string): boolean =>
  (status?.upgrade?.revision ?? status?.currentRevision) !== failedRevision;

/** Whether a template is what all members ran. One that another client has changed since (`kubectl set image`) says the same hash, but not the same image. */
const isWhatRan = <Template>(
  version: Version<Template> | undefined,
  { status }: Upgradable,
): version is Version<Template> =>
  version !== undefined && version.revision === status?.currentRevision && version.image === status.currentVersion;

/** Whether members are brought back to what ran. Those that have gone back stay there, also where `onFailure` says `Stop` by now: that stops, and tries nothing again. */
const isReturning = (object: Upgradable, specRevision: string): boolean =>
  upgradeSteps(object).onFailure === 'Rollback' || isLeft(object, specRevision);

/**
 * What to go back to; undefined where nothing ran before. What all members have run once is itself that: a member of it that can't be replaced is no failure of it. A
 * StatefulSet that was never brought to what has failed, because it could not be
 * written, is itself what all members run, and keeps what is older.
 */
function wayBack<Template>(object: Upgradable, versions: Versions<Template>): Version<Template> | undefined {
  const { asked, running, kept, former } = versions;
  if (asked.revision === object.status?.currentRevision) return undefined;
  const again = former?.();
  return [kept, again, running].find((each) => isWhatRan(each, object)) ?? again ?? kept;
}

/**
 * What new members are made of before the Job that comes before the first one has succeeded: what all run or, where another upgrade was under way, what the StatefulSet has. A
 * StatefulSet that was brought to what is wanted already stays so: it would bring back as an older version who is lost.
 */
function heldBack<Template>(object: Upgradable, versions: Versions<Template>): Version<Template> {
  const { asked, running } = versions;
  if (running && running.revision === asked.revision) return asked;
  const isBehind = running === undefined || running.revision === object.status?.currentRevision;
  const way = isBehind ? wayBack(object, versions) : undefined;
  return way ?? running ?? asked;
}

/**
 * What the members should run: what the spec asks for, or, where that has failed and a rollback is asked for, or was, what ran before. It depends on the spec
 * and on what is kept with the StatefulSet; the status says only what has failed, and whether it was left (I21).
 *
 * **Guarantees.** What has failed is never what a new member is made of (`made`), whatever `onFailure` says, unless nothing ran before: a member that is lost comes back as what ran. The
 * StatefulSet updates `OnDelete`, so that no member is replaced by that.
 */
export function wantedVersion<Template>(object: Upgradable, versions: Versions<Template>): WantedVersion<Template> {
  const { asked, running } = versions;
  const { revision: specRevision } = asked;
  const { status } = object;
  const failed =
    status?.failedRevision === specRevision && !retries.isRequested(object) && !isMended(object, specRevision);
  const way = failed ? wayBack(object, versions) : undefined;
  const before = way?.revision === specRevision ? undefined : way;
  const rollingBack = before !== undefined && isReturning(object, specRevision);
  const wanted = rollingBack ? before : asked;
  const made = before ?? (isHookDone(object, specRevision) ? asked : heldBack(object, versions));
  // The template of a completed upgrade is kept when the next one replaces it, in the same write: there is always a way back.
  const isLeaving = running?.revision !== made.revision && running?.revision === status?.currentRevision;
  return {
    template: wanted.template,
    made,
    revision: wanted.revision,
    image: wanted.image ?? asked.image ?? '',
    specRevision,
    failed,
    rollingBack,
    leaving: isLeaving ? running : undefined,
  };
}
